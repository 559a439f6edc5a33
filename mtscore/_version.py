"""The version of mtscore: the one place that names it."""

VERSION = "0.1.0"
PROGRAM = f"mtscore-{VERSION}"
"""What signatures call it."""
