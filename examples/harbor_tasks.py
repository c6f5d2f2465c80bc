"""Task folders for Harbor: python harbor_tasks.py clinic_front_desk.zip tasks; harbor run -p tasks"""

import sys

from synthesis.adapters.harbor import harbor_tasks


def main(bundle: str, folder: str) -> list[str]:
    written = harbor_tasks(bundle, folder, split=None)
    for path in written:
        print(path, (path / "instruction.md").read_text().splitlines()[0])
    return [path.name for path in written]


if __name__ == "__main__":
    main(*sys.argv[1:])
