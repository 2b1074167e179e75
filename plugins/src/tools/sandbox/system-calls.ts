/** What a sandboxed program may not ask of the system, as a seccomp filter (classic BPF, `man 2 seccomp`). */
import { constants } from 'node:os'

/** A condition on one argument: that it is a number, or has one of some bits. */
type Condition = readonly [argument: number, is: 'equals' | 'has', value: number]

interface Refused {
  /** Number of the call on x86-64 and on 64-bit ARM; undefined where the architecture has no such call. */
  readonly numbers: readonly [x64: number | undefined, arm64: number | undefined]
  /** All have to hold; none: always. */
  readonly where?: readonly Condition[]
  readonly error: number
}

export interface FilterOptions {
  /** Whether sockets with a name in the file system are refused. */
  readonly localSockets: boolean
  /** Whether memory is refused that no process's own limit counts. */
  readonly uncountedMemory: boolean
  /** Whether ways to connect are refused that do not ask the rules for TCP ports. Default false. */
  readonly otherStreams?: boolean
}

const { EPERM, ENOSYS, EAFNOSUPPORT, EPROTONOSUPPORT, EOPNOTSUPP } = constants.errno
const SET_ID_BITS = 0o6000
/** `O_CREAT`, `O_TMPFILE`: without them the mode means nothing. */
const MAKES = 0x40_0040
const NEW_USER = 0x1000_0000
const AF_UNIX = 1
const AF_SMC = 43
/** A bit of the protocols that speak to TCP and are not it: MPTCP, SMC. */
const BESIDE_TCP = 0x100
/** Sends with the connection itself. */
const MSG_FASTOPEN = 0x2000_0000
/** Names of calls of the older 32-bit kind on x86-64 begin here. */
const X32 = 0x4000_0000

/** A file of the person's with these bits would give their rights to a user who starts it. */
const SET_ID: readonly Refused[] = [
  { numbers: [90, undefined], where: [[1, 'has', SET_ID_BITS]], error: EPERM }, // chmod
  { numbers: [91, 52], where: [[1, 'has', SET_ID_BITS]], error: EPERM }, // fchmod
  { numbers: [268, 53], where: [[2, 'has', SET_ID_BITS]], error: EPERM }, // fchmodat
  { numbers: [452, 452], where: [[2, 'has', SET_ID_BITS]], error: EPERM }, // fchmodat2
  { numbers: [133, undefined], where: [[1, 'has', SET_ID_BITS]], error: EPERM }, // mknod
  { numbers: [259, 33], where: [[2, 'has', SET_ID_BITS]], error: EPERM }, // mknodat
  { numbers: [85, undefined], where: [[1, 'has', SET_ID_BITS]], error: EPERM }, // creat
  {
    numbers: [2, undefined], // open
    where: [
      [1, 'has', MAKES],
      [2, 'has', SET_ID_BITS],
    ],
    error: EPERM,
  },
  {
    numbers: [257, 56], // openat
    where: [
      [2, 'has', MAKES],
      [3, 'has', SET_ID_BITS],
    ],
    error: EPERM,
  },
]
/** What a filter cannot look into, and programs do without; keys of the person's session; further namespaces of users. */
const ALWAYS: readonly Refused[] = [
  { numbers: [437, 437], error: ENOSYS }, // openat2
  { numbers: [425, 425], error: ENOSYS }, // io_uring_setup
  { numbers: [435, 435], error: ENOSYS }, // clone3
  { numbers: [248, 217], error: ENOSYS }, // add_key
  { numbers: [249, 218], error: ENOSYS }, // request_key
  { numbers: [250, 219], error: ENOSYS }, // keyctl
  { numbers: [56, 220], where: [[0, 'has', NEW_USER]], error: EPERM }, // clone
  { numbers: [272, 97], where: [[0, 'has', NEW_USER]], error: EPERM }, // unshare
  { numbers: [308, 268], error: EPERM }, // setns
]
const LOCAL_SOCKETS: Refused = { numbers: [41, 198], where: [[0, 'equals', AF_UNIX]], error: EAFNOSUPPORT }
const UNCOUNTED_MEMORY: readonly Refused[] = [
  { numbers: [319, 279], error: ENOSYS }, // memfd_create
  { numbers: [447, 447], error: ENOSYS }, // memfd_secret
  { numbers: [29, 194], error: ENOSYS }, // shmget
]

const OTHER_STREAMS: readonly Refused[] = [
  { numbers: [41, 198], where: [[0, 'equals', AF_SMC]], error: EAFNOSUPPORT }, // socket
  { numbers: [41, 198], where: [[2, 'has', BESIDE_TCP]], error: EPROTONOSUPPORT }, // socket
  { numbers: [44, 206], where: [[3, 'has', MSG_FASTOPEN]], error: EOPNOTSUPP }, // sendto
  { numbers: [46, 211], where: [[2, 'has', MSG_FASTOPEN]], error: EOPNOTSUPP }, // sendmsg
  { numbers: [307, 269], where: [[3, 'has', MSG_FASTOPEN]], error: EOPNOTSUPP }, // sendmmsg
]

const ARCHITECTURES: Readonly<Record<string, { audit: number; column: 0 | 1 }>> = {
  x64: { audit: 0xc000_003e, column: 0 },
  arm64: { audit: 0xc000_00b7, column: 1 },
}
const LOAD = 0x20
const EQUALS = 0x15
const AT_LEAST = 0x35
const HAS = 0x45
const RETURN = 0x06
const ALLOW = 0x7fff_0000
const FAIL = 0x0005_0000

/** Whether there are filters for this machine's architecture. */
export function hasFilters(): boolean {
  return ARCHITECTURES[process.arch] !== undefined
}

/**
 * The filter of this machine's architecture; calls of another one fail.
 *
 * @returns nothing on an architecture that no filter is known for
 */
export function createFilter({ localSockets, uncountedMemory, otherStreams = false }: FilterOptions): Buffer {
  const architecture = ARCHITECTURES[process.arch]
  if (architecture === undefined) return Buffer.alloc(0)
  const refused = [
    ...ALWAYS,
    ...SET_ID,
    ...(localSockets ? [LOCAL_SOCKETS] : []),
    ...(uncountedMemory ? UNCOUNTED_MEMORY : []),
    ...(otherStreams ? OTHER_STREAMS : []),
  ]
  return Buffer.concat([
    step(LOAD, 4),
    step(EQUALS, architecture.audit, 1, 0),
    step(RETURN, FAIL | ENOSYS),
    step(LOAD, 0),
    ...(process.arch === 'x64' ? [step(AT_LEAST, X32, 0, 1), step(RETURN, FAIL | ENOSYS)] : []),
    ...refused.flatMap(({ numbers, where = [], error }) => {
      const number = numbers[architecture.column]
      return number === undefined ? [] : refuse(number, where, error)
    }),
    step(RETURN, ALLOW),
  ])
}

function refuse(number: number, where: readonly Condition[], error: number): Buffer[] {
  // each condition is two steps; after them stand the refusal and, where one does not hold, the way to further rules of the call
  const left = (index: number): number => 2 * (where.length - index - 1) + 1
  return [
    step(EQUALS, number, 0, 2 * where.length + 1 + (where.length > 0 ? 1 : 0)),
    ...where.flatMap(([argument, is, value], index) => [
      step(LOAD, 16 + 8 * argument),
      step(is === 'has' ? HAS : EQUALS, value, 0, left(index)),
    ]),
    step(RETURN, FAIL | error),
    ...(where.length > 0 ? [step(LOAD, 0)] : []),
  ]
}

function step(code: number, value: number, ifTrue = 0, ifFalse = 0): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(ifTrue, 2)
  bytes.writeUInt8(ifFalse, 3)
  bytes.writeUInt32LE(value >>> 0, 4)
  return bytes
}
