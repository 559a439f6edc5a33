"""Evaluations that stand beside the score: search errors, perplexity, and agreement with people."""
