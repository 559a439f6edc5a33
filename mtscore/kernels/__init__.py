"""Arrays in, arrays out: the inner loops, in numpy alone."""
