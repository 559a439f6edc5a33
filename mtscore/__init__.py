"""Score machine translation: corpus BLEU, chrF and TER with a reproducibility signature."""
