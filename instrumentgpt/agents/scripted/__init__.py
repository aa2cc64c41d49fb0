"""The scripted agent: answers by a file of expected prompts (docs/scripted-agent.md)."""
