"""Runs programs one after the other, as spark-submit would run each of them, and says how many ended."""

import runpy
import sys

if __name__ == "__main__":
    for program in sys.argv[1:]:
        runpy.run_path(program, run_name="__main__")
    print(f"{len(sys.argv) - 1} programs ended.")
