import { crc32 } from 'node:zlib'
import { figuresOf, isTerminal, type Measured, type RunRow } from '@svc/core'
import { toAnswerWords } from '@svc/core/text'
import { checked } from '../../damage.ts'
import { toKey } from '../../keys.ts'
import type { PreparedCommit } from '../../prepared-writes.ts'
import { toColumns } from '../../queries/figure-columns.ts'
import { changeState, type RunState } from '../../run-row.ts'
import type { Row } from '../load-pg.ts'
import type { CommitRow, LogRow, Parts } from './statements.ts'
import { type NewText, TextPacker } from './text-packer.ts'

/** What every commit to one run needs to know, so that it reads nothing. Made anew where another process has written. */
export class RunWriter {
  readonly run: number
  readonly #texts: TextPacker
  #state: RunState
  #status: RunRow['status']
  #version: number
  #lastSeq: number
  #logEnd: number
  #agents: ReadonlySet<string> = new Set()

  /**
   * @param found the run's row in the table
   * @param state its fields, unpacked
   * @param texts its long strings: their SHA-256 with their numbers
   */
  constructor(found: Row, state: string, texts: readonly (readonly [string, number])[]) {
    this.run = Number(found.seq)
    this.#status = found.status as RunRow['status']
    this.#version = Number(found.version)
    this.#lastSeq = Number(found.last_seq)
    this.#logEnd = Number(found.log_end)
    this.#texts = new TextPacker(Number(found.texts), () => texts)
    this.#state = JSON.parse(state)
  }

  /**
   * What a commit writes, added to what others write in the same statement. From then on the run counts as written: where
   * it was not, the writer is to be dropped.
   *
   * @returns the run's row, and the number of its last event before
   */
  write(
    epoch: number,
    mark: number,
    prepared: PreparedCommit,
    parts: Required<Parts>,
  ): { row: CommitRow; lastSeq: number } {
    const { write, record, approvals, records, fields, resultAt } = prepared
    const { run } = this
    const [at, lastSeq] = [this.#logEnd, this.#lastSeq]
    this.#lastSeq += record.events
    this.#logEnd += Math.max(1, record.events)
    const status = write.run?.status ?? this.#status
    const changed: Partial<CommitRow> = {}
    if (status !== this.#status) changed.status = status
    if (write.run?.format !== undefined) changed.format = write.run.format
    this.#status = status
    if (write.run !== undefined) {
      this.#version++
      if (fields.length > 0 || resultAt !== undefined) {
        const resultSeq = resultAt === undefined ? undefined : lastSeq + resultAt + 1
        this.#state = changeState(this.#state, fields, resultSeq)
        changed.state = this.#texts.pack(JSON.stringify(this.#state))
        changed.crc = crc32(changed.state)
      }
    }
    if (record.events + record.steps > 0) {
      const body = this.#texts.pack(record.body)
      parts.logs.push(logRow(run, this.#logEnd, this.#lastSeq, record.steps > 0, body))
    }
    addTexts(run, this.#texts.takeNew(), parts)
    for (const { id, status: answer, body } of approvals) {
      parts.approvals.push({ id, run, status: answer, body, crc: crc32(body) })
    }
    for (const record of records) {
      parts.records.push({ run, nth: parts.records.length, ...record })
      parts.versions.push({ run, kind: record.kind, space: record.space })
    }
    for (const id of write.taken ?? []) parts.taken.push({ run, id: toKey(id) })
    this.#addAgents(write.run?.agents, parts)
    const hasEnded = changed.status !== undefined && isTerminal(status)
    const { models, result } = write.run ?? {}
    addModels(run, { models }, parts)
    const words = hasEnded ? toAnswerWords(result) : ''
    if (words !== '') parts.words.push({ run, words })
    const [tokens, cost, duration] = toColumns(this.#state)
    const row: CommitRow = {
      run,
      epoch,
      at,
      has_ended: hasEnded,
      verdict: figuresOf({ ...this.#state, status }).verdict ?? null,
      tokens,
      cost,
      duration,
      version: this.#version,
      last_seq: this.#lastSeq,
      log_end: this.#logEnd,
      texts: this.#texts.count,
      mark,
      ...changed,
    }
    return { row, lastSeq }
  }

  #addAgents(agents: RunRow['agents'] = [], parts: Required<Parts>): void {
    const ids = agents.map(({ id }) => id)
    if (ids.every((id) => this.#agents.has(id))) return
    this.#agents = new Set(ids)
    for (const id of ids) parts.agents.push({ run: this.run, agent: toKey(id) })
  }
}

/** Adds what runs took of models to a write. */
export function addModels(run: number, used: Pick<Measured, 'models' | 'create'>, parts: Required<Parts>): void {
  for (const [model, { tokens, costUsd }] of figuresOf(used).models)
    parts.models.push({ run, nth: parts.models.length, model: toKey(model), tokens, cost: costUsd })
}

/** A row of the log. */
export const logRow = (run: number, logEnd: number, lastSeq: number, hasSteps: boolean, body: string): LogRow => ({
  run,
  log_end: logEnd,
  last_seq: lastSeq,
  has_steps: hasSteps,
  crc: crc32(body),
  body,
})

/** Adds long strings of a run to a write. */
export function addTexts(run: number, texts: readonly NewText[], parts: Required<Parts>): void {
  for (const { number, literal, payload } of texts) {
    const body = payload === undefined ? literal : ''
    parts.texts.push({ run, number, crc: crc32(body), body, payload: payload ?? null })
    if (payload === undefined) continue
    parts.uses.push({ run, payload })
    parts.payloads.push({ id: payload, bytes: Buffer.from(literal).toString('base64') })
  }
}

/** A writer for what was read of a run, unless it is damaged. */
export function toWriter(found: Row, runId: string, state: string, texts: readonly Row[]): RunWriter {
  const known = texts.map(
    (row) => [String(row.payload ?? TextPacker.digest(checked(row, runId, 'its texts'))), Number(row.number)] as const,
  )
  return new RunWriter(found, state, known)
}

export const noParts = (): Required<Parts> => ({
  logs: [],
  texts: [],
  uses: [],
  payloads: [],
  approvals: [],
  taken: [],
  agents: [],
  tags: [],
  models: [],
  words: [],
  records: [],
  versions: [],
})
