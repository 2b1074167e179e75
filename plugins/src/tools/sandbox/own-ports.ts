/** The ports of this machine at which svc itself is reached, and how a program with network is kept from them. */
import { readdirSync, readlinkSync } from 'node:fs'
import { ToolError } from '@svc/core'
import { readIfThere } from './workspace/on-disk.ts'
import { pathOf } from './wrap.ts'

/** The name of a process that serves; the system keeps 15 characters of it. */
export const SERVER_PROCESS = 'svc serve'

const LISTENS = '0A'

/**
 * TCP ports at which this process listens, and servers of svc that this user started.
 *
 * @throws ToolError `sandbox_unavailable` where the system does not tell
 */
export function ownPorts(): number[] {
  if (process.platform !== 'linux')
    throw new ToolError(
      'sandbox_unavailable',
      `on ${process.platform} svc cannot tell at which ports it listens, so no program runs with network: take the command out of policy.network`,
    )
  const sockets = new Set(
    readdirSync('/proc')
      .filter(
        (pid) => pid === 'self' || (/^\d+$/.test(pid) && readIfThere(`/proc/${pid}/comm`).trim() === SERVER_PROCESS),
      )
      .flatMap(socketsOf),
  )
  const lines = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => readIfThere(table).trim().split('\n').slice(1))
  const ports = lines.flatMap((line) => {
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/)
    return state === LISTENS && sockets.has(`socket:[${inode}]`) ? [Number.parseInt(local.split(':')[1] ?? '', 16)] : []
  })
  return [...new Set(ports)]
}

function socketsOf(pid: string): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/${pid}/fd/${fd}`)]
      } catch {
        return [] // it was closed meanwhile
      }
    })
  } catch {
    return [] // it has ended, or is another user's
  }
}

/** What a program that could not be kept from ports prints before it ends. */
export const PORTS_OPEN = 'svc: ports stay open'
/**
 * Lets the process connect by TCP to all ports but some, and to abstract sockets of its own (Landlock, `man 7 landlock`). The system
 * knows rules that allow one port, and none that denies one.
 */
const CLOSE_PORTS = `
my %closed = map { $_ => 1 } split /,/, shift;
my $attributes = pack 'QQQ', 0, 2, 1;
my $rules = syscall 444, $attributes, 24, 0;
$rules = syscall 444, $attributes, 16, 0 if $rules < 0;
sub fail { print STDERR "${PORTS_OPEN}: $!\\n"; exit 126 }
fail if $rules < 0;
for my $port (1 .. 65535) {
  next if $closed{$port};
  my $rule = pack 'QQ', 2, $port;
  syscall(445, $rules, 2, $rule, 0) == 0 or fail;
}
syscall(446, $rules, 0) == 0 or fail;
exec { $ARGV[0] } @ARGV or fail;
`

/**
 * Argv that begins another one: the program does not reach these ports, at any address.
 *
 * @throws ToolError `sandbox_unavailable` where there is no perl to ask the system for it
 */
export function closePorts(ports: readonly number[]): string[] {
  if (ports.length === 0) return []
  const perl = pathOf('perl')
  if (perl === undefined) throw portsOpen(ports, 'perl is not installed')
  return [perl, '-e', CLOSE_PORTS, ports.join(',')]
}

export const portsOpen = (ports: readonly number[], why: string): ToolError =>
  new ToolError(
    'sandbox_unavailable',
    `with network the program would reach svc itself at port ${ports.join(', ')}, and cannot be kept from it here (${why}), so nothing was run. It takes bubblewrap, perl and Linux 6.7 with Landlock; else leave the command out of policy.network, or run it while nothing of svc listens`,
  )
