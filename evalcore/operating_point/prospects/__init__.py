"""What a test can show, and how likely it is to: known before the choice is made."""
