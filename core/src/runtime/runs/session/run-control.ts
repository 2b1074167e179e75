import type { ApprovalRequest, InputRequest, Resolution } from '../../../contracts/run/approval.ts'
import { CancelledError } from '../../../errors.ts'
import { forgettable } from '../../../support/background.ts'
import { nameOf } from '../../../support/ids.ts'
import { Steering } from '../../calls/steering.ts'
import type { Environment } from '../../environment.ts'
import { answerForNobody, Questions } from './questions.ts'
import type { RunFacts } from './run-facts.ts'
import { RunMessages } from './run-messages.ts'
import type { RunRecorder } from './run-recorder.ts'
import type { RunStop } from './run-stop.ts'
import type { SessionOptions } from './session-options.ts'

/** What changes how a run goes on: answers of people, advice of plugins, requests of other processes. */
export class RunControl {
  readonly stop: RunStop
  readonly questions: Questions
  readonly messages: RunMessages
  readonly steering: Steering
  readonly #env: Environment
  readonly #facts: RunFacts
  readonly #recorder: RunRecorder
  readonly #signal: AbortSignal | undefined
  #asked = 0
  #isOver = false

  constructor(
    env: Environment,
    facts: RunFacts,
    recorder: RunRecorder,
    stop: RunStop,
    newId: (prefix: string, key: string) => string,
    { onRest = () => {}, signal }: Pick<SessionOptions, 'onRest' | 'signal'> = {},
  ) {
    this.#signal = signal
    this.#env = env
    this.#facts = facts
    this.#recorder = recorder
    this.stop = stop
    this.messages = new RunMessages(recorder, env.cassette !== undefined)
    this.steering = new Steering(
      (error) => stop.stop(error),
      () => recorder.journal.time,
    )
    this.questions = new Questions({
      runId: facts.id,
      journal: recorder.journal,
      log: recorder,
      clock: env.clock,
      // Runs may share a seed; their questions stand in one store.
      newId: (prefix, key) => newId(prefix, `${facts.id}/${key}`),
      emit: (type, data, at) => {
        if (type === 'run.waiting' || type === 'run.resumed') onRest(type === 'run.waiting')
        recorder.emit(type, data, at)
      },
      onStop: (handler) => stop.onStop(handler),
      throwIfStopped: () => stop.throwIfStopped(),
      announceAgain: (waiting) => recorder.announceAgain(waiting),
      onOpen: () => this.observe(),
    })
  }

  /** Asks a person and waits, where one is there. @param key of the wait, where the order of questions does not tell them apart */
  ask(request: ApprovalRequest | InputRequest, key?: string): Promise<Resolution> {
    return forgettable(this.#ask(request, key))
  }

  async #ask(request: ApprovalRequest | InputRequest, key = this.#nextQuestion(request)): Promise<Resolution> {
    const { approval } = this.#facts.options
    if (approval !== 'wait') return answerForNobody(request, approval, (warning) => this.#recorder.warn(warning))
    return request.kind === 'approval'
      ? this.questions.askApproval(request, key, {})
      : this.questions.askInput(request, key)
  }

  #nextQuestion(request: ApprovalRequest | InputRequest): string {
    return `ask:${nameOf(16, ++this.#asked, JSON.stringify(request))}`
  }

  /** Looks for requests from other processes, and from this one: they all come through the store. */
  observe(): void {
    this.#env.background.run(`commands of ${this.#facts.id}`, () => this.readCommands())
  }

  /** Whether somebody has answered what was asked for under a key, and nobody has taken that yet. */
  async isAnswered(key: string): Promise<boolean> {
    const commands = await this.#env.store.commands(this.#facts.id)
    return commands.some((command) => command.kind === 'input' && command.key === key)
  }

  /** Takes what was asked of the run so far. */
  async readCommands(): Promise<void> {
    const commands = await this.#env.store.commands(this.#facts.id)
    if (this.#isOver) return
    const taken: string[] = []
    for (const command of commands) {
      if (command.kind === 'message') {
        this.messages.note(command)
        continue
      }
      if (command.kind !== 'cancel') {
        if (this.questions.answer(command)) taken.push(command.id)
        continue
      }
      taken.push(command.id)
      if (this.stop.isStopped) continue
      const { reason, by } = command
      this.#recorder.emit('run.cancelling', { reason, by })
      const cause = this.#signal?.aborted === true ? this.#signal.reason : undefined
      this.stop.stop(new CancelledError('cancelled', reason, { cause }))
    }
    if (taken.length > 0) await this.#recorder.commit({ taken })
  }

  /** Nothing is taken any more. */
  close(): void {
    this.#isOver = true
  }
}
