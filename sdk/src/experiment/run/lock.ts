import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { ConflictError } from '@svc/core'

/** Taking over a lock takes no longer. */
const TAKEOVER_MS = 10_000

interface Holder {
  pid: number
  host: string
  /** When the process began, since numbers of processes are used again; empty where the system does not say. */
  started: string
}

/**
 * Lets one process at a time work in an experiment's folder. A lock that a dead process left is taken over.
 *
 * @returns how to leave
 * @throws ConflictError `run_active` naming the process that holds it
 */
export function lockFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'lock')
  const own: Holder = { pid: process.pid, host: hostname(), started: startOf(process.pid) }
  for (let tries = 0; tries < 3; tries++) {
    if (create(file, JSON.stringify(own))) return () => rmSync(file, { force: true })
    const holder = read(file)
    if (holder !== undefined && isAlive(holder)) throw held(file, holder)
    removeStale(file)
  }
  throw held(file, read(file))
}

const held = (file: string, holder: Holder | undefined): ConflictError =>
  new ConflictError(
    'run_active',
    `another process works on this experiment${holder === undefined ? '' : `: process ${holder.pid} on ${holder.host}`}. Wait for it, or stop it; if there is none, remove ${file}`,
  )

/** Of several that find the same dead process, one removes its lock, and looks again before it does. */
function removeStale(file: string): void {
  const gate = `${file}.takeover`
  if (!create(gate, '')) {
    const age = Date.now() - (statSync(gate, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    if (age > TAKEOVER_MS) rmSync(gate, { force: true })
    return
  }
  try {
    const holder = read(file)
    if (holder === undefined || !isAlive(holder)) rmSync(file, { force: true })
  } finally {
    rmSync(gate, { force: true })
  }
}

/** Makes a file with its whole content at once, unless there is one. */
function create(file: string, content: string): boolean {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
  writeFileSync(draft, content, { mode: 0o600, flag: 'wx' })
  try {
    linkSync(draft, file)
    return true
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST') return false
    throw thrown
  } finally {
    rmSync(draft, { force: true })
  }
}

function read(file: string): Holder | undefined {
  try {
    const { pid, host, started } = JSON.parse(readFileSync(file, 'utf8')) as Holder
    return Number.isInteger(pid) && pid > 0 ? { pid, host: String(host), started: String(started) } : undefined
  } catch {
    return undefined
  }
}

/** Of a process on another machine nothing is known: it counts as alive. */
function isAlive({ pid, host, started }: Holder): boolean {
  if (host !== hostname()) return true
  try {
    process.kill(pid, 0)
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM'
  }
  return startOf(pid) === started
}

/** When a process began, in ticks since the machine's start. */
function startOf(pid: number): string {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return fields[0] === 'Z' || fields[0] === 'X' ? 'over' : (fields[19] ?? '')
  } catch {
    return ''
  }
}
