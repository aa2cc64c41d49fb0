"""A finding as sentences in either language."""

from instrumentgpt.instruments.findings import Finding


def summary(finding: Finding, language: str) -> str:
    return finding.fault
