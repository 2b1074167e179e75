/** The lines of an exported run, which somebody else may have written: each is checked as a whole before anything uses it. */
import * as Type from 'typebox'
import { SvcConfig } from '../../../contracts/config.ts'
import { ErrorInfo } from '../../../contracts/error-info.ts'
import { isEphemeral, isTerminalEvent, type RunEvent } from '../../../contracts/log/event.ts'
import { DURABLE_EVENT_DATA } from '../../../contracts/log/event-data.ts'
import type { StepRow } from '../../../contracts/log/journal.ts'
import { ExecutionResult, PlanResult } from '../../../contracts/run/result.ts'
import { RunCreate, Run as RunSchema } from '../../../contracts/run/run.ts'
import { isTerminal } from '../../../contracts/run/run-end.ts'
import { RunLock } from '../../../contracts/run/run-lock.ts'
import { Complexity } from '../../../contracts/stages/complexity.ts'
import { RunLimits } from '../../../contracts/store/run-row.ts'
import type { RunRow } from '../../../contracts/store/store.ts'
import { ConflictError, ValidationError } from '../../../errors.ts'
import { findErrors, fits } from '../../../validate.ts'
import { JOURNAL_FORMAT } from '../../journal/keyed-journal.ts'
import { lockedSettings } from '../worker/run-lock.ts'

/** Version of the file's layout. */
export const FORMAT = 2

const RESULTS = [ExecutionResult, PlanResult, Complexity]

/** A moment that every reader reads as the same one. */
const Time = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?Z$' })
/** What places are named by. */
const Name = Type.String({ maxLength: 500 })
/** Longest date that JavaScript has. */
const LAST_MS = 8.64e15

/** What every event has beside its data. */
const Envelope = Type.Object(
  {
    v: Type.Literal(1),
    seq: Type.Integer(),
    type: Type.String({ pattern: '^[a-z]{1,32}\\.[a-z]{1,32}$' }),
    time: Time,
    runId: Type.String(),
    data: Type.Object({}),
    ...Object.fromEntries(
      ['threadId', 'stage', 'stepId', 'agentId', 'parentAgentId', 'callId', 'approvalId', 'span'].map((name) => [
        name,
        Type.Optional(Name),
      ]),
    ),
  },
  { additionalProperties: false },
)

const Step = Type.Object(
  {
    key: Type.String({ minLength: 1, maxLength: 2_000 }),
    effect: Type.Enum(['pure', 'idempotent', 'once', 'wait']),
    state: Type.Enum(['begun', 'done']),
    request: Type.Optional(Name),
    outcome: Type.Optional(Type.Unknown()),
    error: Type.Optional(ErrorInfo),
    time: Type.Number({ minimum: 0, maximum: LAST_MS }),
    seq: Type.Integer({ minimum: 0 }),
  },
  { additionalProperties: false },
)

/** What a row has beside the run that is listed. */
const Head = Type.Object({
  format: Type.Integer({ minimum: 1, maximum: JOURNAL_FORMAT }),
  create: RunCreate,
  configHash: Name,
  limits: Type.Optional(RunLimits),
  tainted: Type.Optional(Type.Boolean()),
  taintedSpan: Type.Optional(Type.Object({ from: Type.Number(), to: Type.Number() })),
  createdAt: Time,
  startedAt: Type.Optional(Time),
  finishedAt: Type.Optional(Time),
})

/** @throws ValidationError; ConflictError `run_not_finished` */
export function readHead(value: Record<string, unknown>): RunRow {
  const { svcRun, run } = value
  if (typeof svcRun !== 'number' || typeof run !== 'object' || run === null) {
    throw wrong(1, 'this is no exported run: it must begin with {"svcRun":2,"run":{...}}')
  }
  if (svcRun > FORMAT || Number((run as RunRow).format) > JOURNAL_FORMAT) {
    throw wrong(1, 'the run was exported by a newer svc: update svc')
  }
  for (const schema of [RunSchema, Head]) check(schema, run, 1, '/run')
  const row = run as RunRow
  if (!/^run_[0-9A-HJKMNP-TV-Z]{26}$/.test(row.id)) throw wrong(1, '/run/id must be run_ and a ULID', '/run/id')
  // What is listed is what a fork would be asked for.
  for (const name of ['task', 'mode'] as const)
    if (row[name] !== (row.create[name] ?? 'execute'))
      throw wrong(1, `/run/${name} must be that of /run/create`, `/run/${name}`)
  for (const name of ['createdAt', 'startedAt', 'finishedAt'] as const) checkTime(row[name], 1, `/run/${name}`)
  if (isTerminal(row.status)) return row
  throw new ConflictError(
    'run_not_finished',
    `import: run ${row.id} was ${row.status} when it was exported, and goes on where it is: export it when it has ended`,
  )
}

export function readEvent(value: Record<string, unknown>, runId: string, seq: number, line: number): RunEvent {
  check(Envelope, value, line)
  const event = value as unknown as RunEvent
  if (event.runId !== runId) throw wrong(line, `/runId must be ${runId}, as of the run`, '/runId')
  if (event.seq !== seq) throw wrong(line, `/seq is ${event.seq}, where number ${seq} must be`, '/seq')
  checkTime(event.time, line, '/time')
  if (isEphemeral(event.type)) throw wrong(line, `/type is ${event.type}, which no run keeps`, '/type')
  // Of a type that a later svc may have, its shape alone is known.
  if (Object.hasOwn(DURABLE_EVENT_DATA, event.type))
    check((DURABLE_EVENT_DATA as Record<string, object>)[event.type] ?? {}, event.data, line, '/data', event.type)
  if (isTerminalEvent(event) && !RESULTS.some((result) => fits(result, event.data.result)))
    throw wrong(line, `${event.type}: /data/result is no result of a run`, '/data/result')
  return event
}

export function readLock(value: unknown, line: number): RunLock {
  check(RunLock, value, line, '/lock')
  const lock = value as RunLock
  check(SvcConfig, lock.config, line, '/lock/config')
  // Nothing that this file could name is to be loaded, started, written or reached.
  const { components = {}, policy: { root: _, ...rules } = {} } = lock.config
  const off = Object.entries(components).filter(([, chosen]) => chosen === false)
  const config = {
    ...Object.fromEntries(lockedSettings(lock.config)),
    policy: rules,
    components: Object.fromEntries(off),
  }
  return { ...lock, config: config as RunLock['config'] }
}

export function readStep(value: unknown, line: number): StepRow {
  check(Step, value, line, '/step')
  return value as StepRow
}

export function readPayload(value: unknown, line: number): Uint8Array {
  if (typeof value === 'string' && /^[\w+/]*={0,2}$/.test(value) && value.length % 4 === 0)
    return Buffer.from(value, 'base64')
  throw wrong(line, '/payload must be bytes in base64', '/payload')
}

/** @param at where in the line the value stands @param what names it */
function check(schema: object, value: unknown, line: number, at = '', what = ''): void {
  const [error] = findErrors(schema, value)
  if (error === undefined) return
  const path = `${at}${error.path}`
  throw wrong(line, `${what === '' ? '' : `${what}: `}${path || 'it'} ${error.message}`, path)
}

function checkTime(time: string | undefined, line: number, path: string): void {
  if (time !== undefined && Number.isNaN(Date.parse(time)))
    throw wrong(line, `${path} must be a date that there is`, path)
}

/** @param path of what is wrong in the line, as a JSON pointer */
export const wrong = (line: number, why: string, path = ''): ValidationError =>
  new ValidationError('validation_failed', `import: line ${line}: ${why}`, {
    errors: [{ path: `/${line - 1}${path}`, message: why }],
  })
