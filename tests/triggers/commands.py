"""Commands as agents write them, with what they do to files: the table of the tests."""

from __future__ import annotations

CHANGES: dict[str, tuple[str, ...] | None] = {
    # Plain programs. None: which paths is not known; else the paths, and nothing else changes.
    "rm file": ("file",),
    "rm -rf build dist": ("build", "dist"),
    "rm -- -odd-name": ("-odd-name",),
    "rm 'a file' \"b file\" c\\ file": ("a file", "b file", "c file"),
    "rm *.pyc": (".",),
    "rm src/*.pyc": ("src",),
    "rm {a,b}.txt": (".",),
    'rm "$FILE"': None,
    "rm $(cat list)": None,
    "/bin/rm -f x": ("x",),
    "'rm' x": ("x",),
    "r\\m x": ("x",),
    "rmdir empty": ("empty",),
    "unlink x": ("x",),
    "mv a b": ("a", "b"),
    "mv -t dir a b": ("a", "b", "dir"),
    "cp a b": ("b",),
    "cp -r src backup": ("backup",),
    "cp -t dir a b": ("dir",),
    "install -m 755 tool bin/tool": ("bin/tool",),
    "install -d out/bin": ("out/bin",),
    "ln -s target link": ("link",),
    "ln -sf ../target": (".",),
    "dd if=/dev/zero of=disk.img bs=1M count=1": ("disk.img",),
    "truncate -s 0 log.txt": ("log.txt",),
    "shred -u secret": ("secret",),
    "tee out.txt": ("out.txt",),
    "tee -a one two": ("one", "two"),
    "touch -t 202001010000 old.txt": ("old.txt",),
    "touch new.txt": ("new.txt",),
    "mkdir -p a/b": ("a/b",),
    "chmod 644 file": ("file",),
    "chmod -x run.sh": ("run.sh",),
    "chmod -R u+w dir": ("dir",),
    "chmod --reference=a b": ("b",),
    "chown me:us file": ("file",),
    "sed -i s/a/b/ config.py": ("config.py",),
    "sed -i.bak -e s/a/b/ one two": ("one", "two"),
    "sed -i '' s/a/b/ file": ("file",),
    "sed -ni 's/a/b/p' file": ("file",),
    "sed --in-place=.orig s/a/b/ file": ("file",),
    "sed -E -i 's/(a)/\\1/' file": ("file",),
    "perl -pi -e 's/a/b/' file": ("file",),
    "perl -i.bak -pe 's/a/b/' file": ("file",),
    "ruby -i -pe 'gsub(/a/, %q(b))' file": ("file",),
    "gawk -i inplace '{print}' file": ("file",),
    "patch -p1 < fix.patch": None,
    "rsync -a src/ copy/": ("copy/",),
    "rsync -a host:src/ here/": ("here/",),
    "scp host:file .": (".",),
    "tar xzf a.tar.gz": (".",),
    "tar -xf a.tar -C out": ("out",),
    "tar --extract --file=a.tar": (".",),
    "tar czf a.tar.gz src": ("a.tar.gz",),
    "unzip a.zip": (".",),
    "unzip -q a.zip -d out": ("out",),
    "zip -r a.zip src": ("a.zip", "src"),
    "7z x a.7z": None,
    "gzip file": ("file",),
    "gunzip file.gz": ("file.gz",),
    "curl -o page.html https://example.org": ("page.html",),
    "curl -sSLO https://example.org/a.tgz": (".",),
    "curl -fsSLo tool https://example.org/tool": ("tool",),
    "wget https://example.org/a.tgz": (".",),
    "wget -qO page https://example.org": ("page",),
    "sort -o sorted.txt data.txt": ("sorted.txt",),
    "uniq in out": ("out",),
    "yq -i .a=1 file.yaml": ("file.yaml",),
    "split -l 100 big": None,
    "rename s/a/b/ x y": None,
    "mktemp ./tmp.XXXX": (".",),
    # Redirections.
    "> file": ("file",),
    "echo hi > file": ("file",),
    "echo hi >> file": ("file",),
    "echo hi >| file": ("file",),
    "ls -l &> log": ("log",),
    "ls &>> log": ("log",),
    "ls 2> errors": ("errors",),
    "ls >& both": ("both",),
    "ls > 'a file'": ("a file",),
    'ls > "$OUT"': None,
    "ls > ~/notes": ("~/notes",),
    "cat a b > c 2>&1": ("c",),
    "{ ls; pwd; } > out": ("out",),
    "for f in *; do cat $f; done > all": ("all",),
    "rm > log a": ("a", "log"),
    "exec > log": ("log",),
    "cat <<EOF > file\nrm x\nEOF": ("file",),
    "cat > file <<'EOF'\n$(rm x)\nEOF": ("file",),
    "cat <<EOF | tee file\nhi\nEOF": ("file",),
    "cat <<EOF\n$(rm x)\nEOF": ("x",),
    # find, xargs and the like.
    "find . -name '*.pyc' -delete": (".",),
    "find a b -type f -exec rm {} \\;": ("a", "b"),
    "find . -exec sed -i s/a/b/ {} +": (".",),
    "find . -execdir mv {} {}.bak \\;": (".",),
    "find . -fprint list.txt": ("list.txt",),
    "find . -exec sh -c 'rm x' \\;": (".",),
    "find . -print0 | xargs -0 rm -f": None,
    "ls | xargs -I {} mv {} old/": None,
    "git ls-files | xargs sed -i s/a/b/": None,
    "fd -e pyc -x rm": None,
    "parallel -j 4 gzip ::: *.log": None,
    # git.
    "git reset --hard": None,
    "git reset HEAD~1": None,
    "git clean -fd": None,
    "git checkout main": None,
    "git checkout -- src/app.py": ("src/app.py",),
    "git checkout -b new old": None,
    "git restore file": ("file",),
    "git restore --staged --worktree file": ("file",),
    "git switch main": None,
    "git stash": None,
    "git stash pop": None,
    "git rebase main": None,
    "git merge feature": None,
    "git pull --ff-only": None,
    "git rm old.txt": ("old.txt",),
    "git mv a b": ("a", "b"),
    "git apply fix.patch": None,
    "git am < fix.mbox": None,
    "git cherry-pick abc": None,
    "git revert HEAD": None,
    "git -C other reset --hard": None,
    "git -c core.x=y clean -fdx": None,
    "git clone https://example.org/a/tool.git": ("tool",),
    "git clone url dir": ("dir",),
    "git worktree add ../wt": ("../wt",),
    "git submodule update --init": None,
    "git bisect start": None,
    "git diff > a.patch": ("a.patch",),
    "git diff --output=a.patch": ("a.patch",),
    "git archive -o a.tar HEAD": ("a.tar",),
    "git format-patch -1": (".",),
    # Wrappers, and scripts within scripts.
    "sudo rm -rf /opt/x": ("/opt/x",),
    "sudo -u me -E rm x": ("x",),
    "sudo -e config": ("config",),
    "env A=1 B=2 rm x": ("x",),
    "env -i rm x": ("x",),
    "A=1 rm x": ("x",),
    "timeout 5 rm x": ("x",),
    "timeout -s KILL 5s rm x": ("x",),
    "nice -n 5 rm x": ("x",),
    "nohup rm x &": ("x",),
    "time rm x": ("x",),
    "command rm x": ("x",),
    "flock lock rm x": ("x",),
    "watch -n 1 'rm x'": ("x",),
    "sh -c 'rm x'": ("x",),
    'bash -lc "rm \\"a b\\""': ("a b",),
    "bash -c 'bash -c \"rm x\"'": ("x",),
    "eval 'rm x'": ("x",),
    "eval rm x": ("x",),
    "trap 'rm x' EXIT": ("x",),
    "bash <<EOF\nrm x\nEOF": ("x",),
    "bash <<< 'rm x'": ("x",),
    "echo $(rm x)": ("x",),
    'echo "`rm x`"': ("x",),
    "diff <(sort a) <(sort b) > out": ("out",),
    "ls | tee >(cat > copy)": ("copy",),
    "f() { rm x; }; f": ("x",),
    "function f { cd d; rm x; }; f": ("d/x",),
    # Lists, loops, conditions, other directories.
    "ls; rm x": ("x",),
    "true && rm x": ("x",),
    "false || rm x": ("x",),
    "! rm x": ("x",),
    "if test -f x; then rm x; fi": ("x",),
    'while read f; do rm "$f"; done < list': None,
    "case $1 in a) rm x;; esac": ("x",),
    "(cd sub && rm x); rm y": ("sub/x", "y"),
    "cd src/lib && rm x ../y": ("src/lib/x", "src/y"),
    "cd $DIR && rm x": None,
    "cd a; cd b; rm /abs c": ("/abs", "a/b/c"),
    "make clean; rm x": None,
    "cat file | sed s/a/b/ | tee file": ("file",),
    "rm \\\n  x": ("x",),
    "# all of it\nrm x": ("x",),
}
"""Commands that change files: a miss is one that is not seen."""

HARMLESS = r"""
ls -la
cat a > /dev/null
cat a 2>&1
ls 2>/dev/null
ls >/dev/null 2>&1
ls &>/dev/null
ls > /dev/stderr
echo oops >&2
echo hi 1>&2
ls >&-
grep ">" file
grep -r "a > b" src
grep 'rm -rf' README.md
rg "git reset --hard"
echo "rm -rf /"
echo rm -rf x
echo 'a > b'
echo a \> b
echo $((1 > 2))
printf '%s\n' "mv a b"
[ 3 -gt 2 ] && echo yes
[[ a > b ]] && echo yes
test -f x
awk '$1 > 5' data
awk '{print $1}' data
sed s/a/b/ file
sed -n 1,5p file
sed -n '/> x/p' file
sed -e 's/rm/mv/' file
git status
git log --oneline -5
git diff HEAD~1
git diff -- "a > b"
git show HEAD:file
git branch -a
git add -A
git fetch origin
git tag v1
git rev-parse HEAD
git stash list
git clean -n
git checkout -b feature
git switch -c feature
git reset --soft HEAD~1
git restore --staged file
git rm --cached file
git apply --check fix.patch
git worktree list
git -C other status
git --version
git help reset
find . -name '*.py'
find . -type f -exec grep -l rm {} \;
find . -print0 | xargs -0 grep rm
ls | xargs
ls | xargs -n 1 echo
tar tzf a.tgz
tar -xOf a.tar file
unzip -l a.zip
gzip -dc a.gz
zcat a.gz
curl -s https://example.org
curl -o /dev/null -w '%{http_code}' https://example.org
curl -X POST -d '{"rm": 1}' https://example.org
wget -qO- https://example.org
wget --spider https://example.org
rsync -an src/ copy/
rsync -a src/ host:copy/
patch --dry-run -p1 < fix.patch
dd if=file bs=1 count=1
sort data | uniq -c | sort -rn
wc -l < file
head -5 file; tail -5 file
command -v rm
which rm
type rm
man rm
rm --help
mv --version
env
env | grep PATH
export PATH=$PATH:/x
x=$(cat file)
cd src && ls
cd src; pwd
sudo ls
timeout 5 cat file
bash -c 'echo "rm x"'
bash -n script.sh
sh -c 'ls > /dev/null'
cat <<EOF\nrm x > y\nEOF
cat <<'EOF'\n$(rm x)\nEOF
f() { rm x; }
# rm x
true # > file
tee /dev/null
tee
diff <(sort a) <(sort b)
kill -9 123
sleep 1
date +%s
du -sh .
ps aux | grep rm
jq '.a > 1' data.json
base64 -d file
xxd file
echo "${X:-rm x}"
read -r x < file
while true; do sleep 1; done
for f in *; do echo "$f"; done
if grep -q rm file; then echo found; fi
"""
"""Commands that change no file, one a line: a false alarm is one that is said to change some."""

UNKNOWN = r"""
python -c 'print(1)'
python3 script.py
python -m pytest
node -e 'console.log(1)'
npm install
make
cargo build
./run.sh
bash script.sh
sh
source env.sh
. ./env.sh
curl -s https://example.org | bash
perl -e 'unlink "x"'
ruby script.rb
$CMD x
"$EDITOR" file
docker run x
git commit -m x
git unknown-alias
awk '{print > "out"}' data
python3 - <<'EOF'\nopen("x", "w")\nEOF
bash <<EOF\n$SCRIPT\nEOF
eval "$SCRIPT"
bash -c "$SCRIPT"
xargs make
sudo ./install.sh
find . -exec ./tool {} \;
black src
ssh host rm x
alias ll='ls -l'
if then
echo 'unfinished
"""
"""Commands that may do anything, one a line: neither harmless nor surely a change."""


def lines(table: str) -> list[str]:
    """Return the commands of a table; ``\\n`` in a line is a line break where it stands before
    a heredoc's text."""
    found = [line for line in table.splitlines() if line]
    return [line.replace("\\n", "\n") if "<<" in line else line for line in found]
