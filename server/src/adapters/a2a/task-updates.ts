import type { ExecutionResult, Run, RunEvent } from '@svc/core'
import { AnswerText } from '@svc/core/client'
import { ANSWER, contextOf, toArtifacts, toStatus } from './task.ts'
import type { Artifact, Part, StreamResponse } from './wire.ts'

/** What a stream says of a task after its first message, from the events of its run. */
export class TaskUpdates {
  readonly #ids: { taskId: string; contextId: string }
  readonly #send: (response: StreamResponse) => void
  readonly #answer = new AnswerText()
  /** Whether the reader has the beginning of the answer, so that pieces are added to it. */
  #isBegun = false
  /** Model calls whose pieces the reader has from the first on; undefined: all. */
  readonly #heard: Set<string> | undefined

  /** @param hasBegun whether the run said something before: that is not sent */
  constructor(run: Run, hasBegun: boolean, send: (response: StreamResponse) => void) {
    this.#ids = { taskId: run.id, contextId: contextOf(run) }
    this.#heard = hasBegun ? new Set() : undefined
    this.#send = send
  }

  /** Takes in what was before the stream. */
  recall(event: RunEvent): void {
    this.#answer.apply(event)
  }

  apply(event: RunEvent): void {
    const key = `${event.agentId} ${event.callId}`
    if (event.type === 'model.started') this.#heard?.add(key)
    if (event.type === 'message.delta' && this.#heard?.has(key) === false) return
    const { time: timestamp } = event
    if (event.type === 'run.started' || event.type === 'run.resumed')
      this.#send({ statusUpdate: { ...this.#ids, status: { state: 'TASK_STATE_WORKING', timestamp } } })
    const change = this.#answer.apply(event)
    if (change === undefined) return
    if (change.isWhole) this.#isBegun = false
    if (change.text !== '') this.#add([{ text: change.text }])
  }

  /** The task has ended, or waits: files and the status are sent. */
  end(run: Run, base: string): void {
    for (const artifact of toArtifacts(run, base)) {
      if (artifact.artifactId === ANSWER) this.#endAnswer(artifact, run)
      else this.#send({ artifactUpdate: { ...this.#ids, artifact, append: false, lastChunk: true } })
    }
    this.#send({ statusUpdate: { ...this.#ids, status: toStatus(run) } })
  }

  /** A reader who waits for the last piece of an answer gets one. */
  #endAnswer({ parts, metadata }: Artifact, { result }: Run): void {
    const { output } = (result ?? {}) as Partial<ExecutionResult>
    const rest: Part[] = output === undefined ? [{ text: '' }] : [{ data: output }]
    this.#add(this.#isBegun ? rest : parts, true, metadata)
  }

  #add(parts: readonly Part[], lastChunk = false, metadata?: Record<string, unknown>): void {
    const artifact: Artifact = { artifactId: ANSWER, name: ANSWER, parts, ...(metadata && { metadata }) }
    this.#send({ artifactUpdate: { ...this.#ids, artifact, append: this.#isBegun, lastChunk } })
    this.#isBegun = true
  }
}
