"""Programs and builtins that change no file, whatever their arguments are."""

from hermes_checkpoints.triggers.words import names

READERS = names(
    """
    : [ [[ test true false
    ack ag apropos arch b2sum base32 base64 basename bat batcat bc bg break bzcat bzgrep cal cat
    cksum clear cloc cmp column comm compgen complete continue cut date dc declare
    delta df diff diff3 dig dir dirname dirs disown dmesg du echo egrep env expand expr exa export
    eza factor false fc fg fgrep file fmt fold free getconf getent getopt getopts getfacl gettext
    grep groups hash head hexdump hexyl history host hostname hostid htop id ifconfig info iostat ip
    jobs journalctl join jq kill killall last ldd less let lesspipe local locale locate logname
    look ls lsattr lsb_release lsblk lscpu lsof lspci lsusb man mapfile md5 md5sum more mpstat
    netstat nl nm nproc nslookup ntpq numfmt objdump od paste pathchk pgrep pidof ping pkill
    popd pr printenv printf ps pstree pwd read readarray readelf readlink readonly realpath
    resolvectl return rev rg ripgrep seq set sha1sum sha224sum sha256sum sha384sum sha512sum
    shasum shift shopt size sleep ss stat strings stty sum sysctl tac tail tig time times tldr
    tokei top tput tr tracepath traceroute tsort tty type typeset ulimit umask unalias uname
    unexpand unset uptime users vdir vmstat w wait wc whatis whereis which who whoami whois
    xzcat xzgrep yes zcat zdiff zgrep zipinfo zless zmore zstdcat exit logout
    """
)
"""Names only."""
