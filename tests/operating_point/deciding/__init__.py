"""What a person decides with."""
