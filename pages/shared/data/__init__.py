"""The data of a session: uploaded, mapped, shown, split."""
