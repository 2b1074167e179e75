import {
  type Approval,
  CapacityError,
  type Command,
  isTerminal,
  type Lease,
  NotFoundError,
  type RunChange,
  type RunEvent,
  type RunRow,
  type StepRow,
  SvcError,
} from '@svc/core'
import type { Change, Idempotency, Line, Tables as Named } from './record.ts'

/** Everything that belongs to one run. */
export interface Entry {
  row: RunRow
  epoch: number
  lease: Lease | undefined
  steps: Map<string, StepRow>
  events: RunEvent[]
  commands: Command[]
  approvals: Map<string, Approval>
  payloads: Set<string>
}

/** Where the records of one kind in one space are. */
export const spaceOf = (kind: string, name: string): string => JSON.stringify([kind, name])

/** The records of one kind in one space. */
export interface Space {
  version: number
  records: Map<string, { seq: number; value: unknown }>
}

/**
 * What the lines of a file add up to. Every process reads the same lines in the same order and comes to the same state,
 * so two that write at once need no lock: the line that comes first counts, and the other one is refused by all.
 */
export class Tables {
  readonly runs = new Map<string, Entry>()
  readonly named: { [T in keyof Named]: Map<string, Named[T]> } = {
    threads: new Map(),
    agents: new Map(),
    answers: new Map(),
  }
  readonly payloads = new Map<string, string>()
  /** What runs leave for later ones, by kind and space. */
  readonly spaces = new Map<string, Space>()
  #records = 0
  readonly #keys = new Map<string, Idempotency & { runId: string }>()
  readonly #tell: (runId: string, change: RunChange) => void

  constructor(tell: (runId: string, change: RunChange) => void) {
    this.#tell = tell
  }

  /** @returns the answer to the writer of the line. @throws why the change was refused */
  apply(line: Line): unknown {
    switch (line.op) {
      case 'create':
        return this.#create(line, line.time)
      case 'commit':
        return this.#commit(line)
      case 'claim':
        return this.#claim(line, line.time)
      case 'renew':
        return line.leases.flatMap((lease) => {
          const entry = this.#heldBy(lease)
          if (entry === undefined) return []
          entry.lease = { ...lease, expiresAt: line.time + line.ttlMs }
          return [entry.lease]
        })
      case 'release': {
        const entry = this.#heldBy(line.lease)
        if (entry === undefined) return
        entry.lease = undefined
        return this.#tell(entry.row.id, isTerminal(entry.row.status) ? 'status' : 'queued')
      }
      case 'command':
        this.entry(line.runId).commands.push(line.command)
        return this.#tell(line.runId, 'command')
      case 'delete':
        return this.#delete(line.runId)
      case 'payload':
        this.entry(line.runId).payloads.add(line.ref)
        this.payloads.set(line.ref, line.base64)
        return
      case 'put':
        ;(this.named[line.table] as Map<string, unknown>).set(line.id, line.value)
        return
      case 'replace': {
        const table = this.named[line.table] as Map<string, unknown>
        if (JSON.stringify(table.get(line.id)) !== JSON.stringify(line.before)) return false
        if (line.value === undefined) table.delete(line.id)
        else table.set(line.id, line.value)
        return true
      }
      case 'drop':
        return this.named[line.table].delete(line.id)
      case 'record': {
        const { space, id, before, value, isForced } = line
        const known = this.space(space).records.get(id)
        if (!isForced && JSON.stringify(known?.value) !== JSON.stringify(before)) return undefined
        return this.#put(space, id, value)
      }
      case 'forget': {
        const { version, records } = this.space(line.space)
        const gone = line.ids.filter((id) => records.delete(id)).length
        this.spaces.set(line.space, { version: version + Math.sign(gone), records })
        return gone
      }
    }
  }

  space(name: string): Space {
    const space = this.spaces.get(name) ?? { version: 0, records: new Map() }
    this.spaces.set(name, space)
    return space
  }

  /** Runs that may be claimed at a time, by priority, of equal ones the oldest first. */
  claimable(timeMs: number, only?: string): RunRow[] {
    const found: RunRow[] = []
    const busyThreads = new Set<string>()
    for (const { row } of this.runs.values()) {
      if (isTerminal(row.status)) continue
      const isFirst = row.threadId === undefined || !busyThreads.has(row.threadId)
      if (row.threadId !== undefined) busyThreads.add(row.threadId)
      const isMeant = only === undefined ? isFirst : row.id === only
      if (isMeant && this.isLeft(row.id, timeMs)) found.push(row)
    }
    return found.sort((a, b) => (b.create.priority ?? 0) - (a.create.priority ?? 0))
  }

  /** Whether a run has not ended and nobody holds it. */
  isLeft(id: string, timeMs: number): boolean {
    const { row, lease } = this.entry(id)
    return !isTerminal(row.status) && (lease === undefined || lease.expiresAt <= timeMs)
  }

  /** @throws NotFoundError `run_not_found` */
  entry(id: string): Entry {
    const entry = this.runs.get(id)
    if (entry === undefined) throw new NotFoundError('run_not_found', `there is no run "${id}"`)
    return entry
  }

  #create({ run, events, idempotency }: Change & { op: 'create' }, timeMs: number): { run: RunRow; replayed: boolean } {
    const name = idempotency && `${idempotency.scope}\n${idempotency.key}`
    const known = name === undefined ? undefined : this.#keys.get(name)
    if (idempotency !== undefined && known !== undefined && known.expiresAt > timeMs) {
      if (known.bodyHash === idempotency.bodyHash) return { run: this.entry(known.runId).row, replayed: true }
      throw new SvcError('idempotency_mismatch', `the idempotency key "${known.key}" was used with another body`)
    }
    if (name !== undefined && idempotency !== undefined) this.#keys.set(name, { ...idempotency, runId: run.id })
    const entry: Entry = {
      row: run,
      epoch: 0,
      lease: undefined,
      steps: new Map(),
      events: [],
      commands: [],
      approvals: new Map(),
      payloads: new Set(),
    }
    this.runs.set(run.id, entry)
    append(entry, events)
    this.#tell(run.id, 'queued')
    return { run, replayed: false }
  }

  #put(name: string, id: string, value: unknown): number {
    const space = this.space(name)
    const seq = space.records.get(id)?.seq ?? ++this.#records
    space.version++
    if (value === undefined) space.records.delete(id)
    else space.records.set(id, { seq, value })
    return seq
  }

  #commit({ lease, write, removed }: Change & { op: 'commit' }): readonly RunEvent[] {
    const { steps = [], events = [], run, approvals = [], taken = [], records = [] } = write
    const entry = this.#heldBy(lease)
    if (entry === undefined) {
      throw new CapacityError('lease_lost', `run ${lease.runId} is held by another process now`)
    }
    const { status } = entry.row
    append(entry, events)
    for (const step of steps) entry.steps.set(step.key, step)
    for (const { kind, space, id, value } of records) this.#put(spaceOf(kind, space), id, value)
    for (const approval of approvals) entry.approvals.set(approval.id, approval)
    entry.commands = entry.commands.filter(({ id }) => !taken.includes(id))
    if (run !== undefined) {
      Object.assign(entry.row, run)
      for (const name of removed) delete (entry.row as unknown as Record<string, unknown>)[name]
      entry.row.version++
    }
    if (isTerminal(entry.row.status)) entry.lease = undefined
    this.#tell(lease.runId, entry.row.status === status ? 'events' : 'status')
    return events
  }

  #claim({ runId, owner, ttlMs, isNamed }: Change & { op: 'claim' }, timeMs: number): Lease | undefined {
    const rows = this.claimable(timeMs, isNamed ? runId : undefined)
    if (!rows.some(({ id }) => id === runId)) return undefined
    const entry = this.entry(runId)
    entry.lease = { runId, owner, epoch: ++entry.epoch, expiresAt: timeMs + ttlMs }
    return entry.lease
  }

  #delete(runId: string): void {
    const entry = this.runs.get(runId)
    if (entry === undefined) return
    this.runs.delete(runId)
    for (const [name, key] of this.#keys) if (key.runId === runId) this.#keys.delete(name)
    const others = [...this.runs.values()]
    for (const ref of entry.payloads) if (!others.some(({ payloads }) => payloads.has(ref))) this.payloads.delete(ref)
    this.#tell(runId, 'status')
  }

  /** The run, where the lease is the one that it is held by. */
  #heldBy({ runId, epoch }: Lease): Entry | undefined {
    const entry = this.runs.get(runId)
    return entry?.lease !== undefined && entry.epoch === epoch ? entry : undefined
  }
}

function append(entry: Entry, events: readonly RunEvent[]): void {
  for (const event of events) entry.events.push(Object.assign(event, { seq: entry.events.length + 1 }))
  entry.row.lastSeq = entry.events.length
}
