import type { Touched } from '../../../contracts/tool/tool.ts'

/** A word that is a program or a subcommand: no option, path, assignment or quotation. */
const PLAIN = /^[A-Za-z0-9][\w.:@-]{0,63}$/

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

/** A subcommand, or a script of a project as its package manager knows it: no file. */
const SCRIPT = /^[A-Za-z0-9][\w:-]{0,63}$/

/** Programs that run what their arguments say (shells, interpreters, what starts another program), or change what they name. */
const LAUNCHERS = words(`
  sh bash zsh fish dash ash ksh csh tcsh elvish nu xonsh pwsh powershell cmd command busybox toybox
  node nodejs deno tsx ts-node python pypy ipython perl raku ruby irb php lua luajit r rscript julia groovy scala kotlin java
  javac jshell tclsh wish expect guile racket sbcl clisp erl elixir iex ghci runghc ocaml swift osascript awk gawk mawk nawk
  sed bc dc gdb lldb sqlite psql mysql
  env sudo doas su pkexec runuser setpriv xargs parallel find fd nohup setsid time timeout nice ionice chrt taskset stdbuf
  script watch entr strace ltrace perf valgrind unshare nsenter chroot firejail bwrap proot fakeroot flock systemd-run at batch
  crontab start open xdg-open exec eval source builtin trap
  ssh scp sftp rsync telnet nc ncat netcat socat docker podman nerdctl kubectl helm vagrant ansible lxc machinectl
  tmux screen dtach dbus-run-session dbus-launch xvfb-run fakechroot faketime torsocks torify proxychains proxychains4 prlimit
  numactl setarch linux32 linux64 cgexec cpulimit chpst softlimit rlwrap unbuffer hyperfine nodemon concurrently cross-env
  cross-env-shell dotenv dotenvx env-cmd sshpass run-parts start-stop-daemon systemctl schroot docker-compose podman-compose
  flatpak snap distrobox toolbox nix nix-shell conda mamba micromamba direnv ip wsl wscript cscript mshta rundll32 winpty
  mksh yash tcc electron corepack
  npx bunx pnpx uvx pipx vi vim nvim view ex ed emacs nano less more most man pager git-shell tar zip unzip rg
  rm rmdir mv cp ln dd tee install shred truncate chmod chown kill pkill killall curl wget`)

/** Subcommands that run, or set, a command that stands in their arguments. */
const LAUNCHING = words(`exec x dlx eval config set alias foreach shell explore init create submodule bisect rebase
  filter-branch difftool mergetool fetch pull push clone ls-remote archive grep sh tool run-script rum urn pkg hook send-email
  instaweb credential for-each-repo daemon filter-repo svn p4 extension`)

/** Programs that take files and options alone. */
const WHOLE = words('pytest tsc eslint vitest jest mypy ruff prettier biome ls cat head tail wc pwd')

/**
 * The first words of a command, which stand for all commands that begin with them: program and subcommand, as `npm test`,
 * with a third word after `run`.
 *
 * @returns undefined for a script, for a program that runs what its arguments say, and for what is no plain name
 */
export function commandPrefix(command: Touched['command']): string[] | undefined {
  if (command === undefined || typeof command === 'string') return undefined
  const [program = '', second = '', third = ''] = command
  if (!isPlain(program)) return undefined
  if (WHOLE.has(program)) return [program]
  // Of a goal such as `exec:java`, its plugin runs what the arguments say.
  const [goal = ''] = second.split(':')
  if (!SCRIPT.test(second) || !isPlain(second) || LAUNCHING.has(goal)) return undefined
  if (second !== 'run') return [program, second]
  return SCRIPT.test(third) && isPlain(third) && !LAUNCHING.has(third) ? [program, second, third] : undefined
}

function isPlain(word: string): boolean {
  const name = word.toLowerCase().replace(/\.(?:exe|cmd|bat|com|ps1)$/, '')
  return PLAIN.test(word) && !LAUNCHERS.has(name) && !LAUNCHERS.has(name.replace(/(?<![\d.-])[\d.-]+$/, ''))
}
