"""What may be said of targets on one set of rows: verdicts, each with its sentence."""
