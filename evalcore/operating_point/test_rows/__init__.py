"""What tune and test rows have to do with each other, and whether a test may certify."""
