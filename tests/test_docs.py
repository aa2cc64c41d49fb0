"""What can be chosen is described, and what the pages point to exists."""

import re
import tomllib
from dataclasses import fields
from pathlib import Path

from cases import each

from instrumentgpt.agents.registry import AGENTS
from instrumentgpt.instruments.checks import CHECKS
from instrumentgpt.modes.registry import MODES
from instrumentgpt.settings import Settings

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
LINK = re.compile(r"!?\[[^\]]*\]\((?!https?://|\?)([^)#]+)")


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


@each("setting", [field.name for field in fields(Settings)])
def test_every_setting_is_described_with_its_environment_variable(setting):
    assert f"`{setting}`" in page("settings.md")
    assert f"`INSTRUMENTGPT_{setting.upper()}`" in page("settings.md")


@each("agent", AGENTS)
def test_every_agent_can_be_found_in_the_settings_page(agent):
    assert f"`{agent}`" in page("settings.md")


@each("mode", MODES)
def test_every_mode_is_in_the_user_guide(mode):
    assert mode in page("user-guide.md").lower()


@each("path", PAGES)
def test_every_link_between_pages_leads_somewhere(path):
    for target in LINK.findall(path.read_text(encoding="utf-8")):
        assert (path.parent / target).exists(), f"{path.name} points to {target}"


@each("command", ["run", "test", "lint", "bench", "demo"])
def test_the_makefile_has_the_commands_of_the_readme(command):
    assert re.search(rf"^{command}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


def test_every_check_has_sentences_and_is_described_to_users():
    faults = tomllib.loads((ROOT / "instrumentgpt/instruments/faults.toml").read_text(encoding="utf-8"))
    described = page("faults.md")
    missing = [name for name in faults if f"`{name}`" not in described]
    assert CHECKS and not missing
