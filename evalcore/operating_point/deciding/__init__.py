"""What a person decides with: the way to a certificate, two points side by side, presets of targets."""
