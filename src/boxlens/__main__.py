"""`python -m boxlens` is `boxlens`."""

from boxlens.cli import main

if __name__ == "__main__":
    main()
