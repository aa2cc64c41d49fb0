"""Agents: what answers a prompt. The offline analyst and the wrappers of external command-line agents."""
