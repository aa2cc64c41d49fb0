"""Sizes of files in words."""


def size_text(size: int) -> str:
    """Return a size in bytes as people read it.

    >>> size_text(950), size_text(12_340), size_text(1_234_567), size_text(3_000_000_000)
    ('950 B', '12 kB', '1.2 MB', '3.0 GB')
    """
    if size < 1000:
        return f"{size} B"
    if size < 1_000_000:
        return f"{size / 1000:.0f} kB"
    return f"{size / 1e6:.1f} MB" if size < 1_000_000_000 else f"{size / 1e9:.1f} GB"
