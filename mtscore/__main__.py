"""Run the command line as `python -m mtscore`."""

from mtscore.cli import run

run()
