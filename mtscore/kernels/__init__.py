"""The inner loops: how segments whose tokens are numbers or characters are compared, no text and no file."""
