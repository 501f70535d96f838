"""What `make bundle` needs beside the package: no part of what is installed."""
