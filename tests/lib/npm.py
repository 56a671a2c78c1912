"""Packages of npm for tests, installed into build/."""
import shutil
import subprocess


def missing(*programs):
    """Why nothing can be installed here, or None."""
    for program in ("node", "npm", *programs):
        if not shutil.which(program):
            return f"{program} is not installed"
    return None


def install(work, package_json, module):
    """The packages that package_json names into the directory work; npm's complaint, or None."""
    work.mkdir(parents=True, exist_ok=True)
    wanted, mine = package_json.read_text(), work / "package.json"
    if (work / "node_modules" / module).is_dir() and mine.exists() and mine.read_text() == wanted:
        return None
    mine.write_text(wanted)
    run = subprocess.run(["npm", "install", "--no-package-lock", "--no-audit", "--no-fund",
                          "--omit=optional", "--ignore-scripts"], cwd=work, text=True, timeout=600,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if run.returncode != 0:
        mine.unlink()
        return run.stdout[-2000:]
    return None
