"""A page as PDF, printed by the browser that is installed."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from instrumentgpt.errors import InstrumentGPTError

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-pdf-header-footer",
)
PRINT_SECONDS = 120.0  # of a page of many charts on a busy machine


class NoPrinter(InstrumentGPTError, RuntimeError):
    """Nothing here makes a PDF."""


def printer() -> str:
    """Return the path of a browser, or "" for nothing."""
    return next(filter(None, map(shutil.which, BROWSERS)), "")


def pdf_of(page: str) -> bytes:
    """Return an HTML page, one of ours, as PDF; nothing is loaded for it. Raises NoPrinter.

    The browser has an empty profile and home of its own; the page forbids itself to load anything.
    """
    program = printer()
    if not program:
        raise NoPrinter(
            "Nothing here makes a PDF. Install Chromium (apt-get install chromium); "
            "or open the report as HTML and print it"
        )
    with tempfile.TemporaryDirectory(prefix="instrumentgpt-pdf-") as folder:
        source, target = Path(folder) / "page.html", Path(folder) / "page.pdf"
        source.write_text(page, encoding="utf-8")
        is_root = hasattr(os, "geteuid") and os.geteuid() == 0  # whom the sandbox refuses
        flags = [*FLAGS, "--no-sandbox"] if is_root else FLAGS
        command = [program, *flags, f"--user-data-dir={folder}/profile"]
        command += [f"--print-to-pdf={target}", source.as_uri()]
        try:
            process = subprocess.run(
                command, env={**os.environ, "HOME": folder}, stdin=subprocess.DEVNULL, capture_output=True,
                timeout=PRINT_SECONDS,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise NoPrinter(f"{program} made no PDF within {PRINT_SECONDS:.0f} s. Print the HTML") from None
        if not target.is_file():
            last = process.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
            raise NoPrinter(f"{program} made no PDF: {''.join(last)}. Print the HTML")
        return target.read_bytes()
