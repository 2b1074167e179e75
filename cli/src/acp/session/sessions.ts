import type { AgentContext, ClientCapabilities } from '@agentclientprotocol/sdk'
import { createId } from '@svc/core'
import type { CommandContext } from '../../frame/context.ts'
import type { Stdio } from '../stdio.ts'
import { Editor } from './editor.ts'
import { Session } from './session.ts'
import type { SessionPlace } from './start-session.ts'

/** Runtimes at once; of the sessions that nobody uses, the one that rested longest lets its own go. */
const MOST_STARTED = 16
/** More are forgotten, the one that rested longest first: session/load brings it back. */
const MOST_KNOWN = 500

/** The sessions of one editor. */
export class Sessions {
  readonly #context: CommandContext
  readonly #output: Stdio
  readonly #known = new Map<string, Session>()
  #uses = 0

  constructor(context: CommandContext, output: Stdio) {
    this.#context = context
    this.#output = output
  }

  /** Makes a session. @param id of a thread; default a new one. One of the same id is closed first */
  async make(
    client: AgentContext,
    capabilities: ClientCapabilities,
    place: SessionPlace,
    id = createId('thr', Date.now()),
  ): Promise<Session> {
    await this.#known.get(id)?.close()
    const session = new Session(id, this.#context, place, new Editor(client, id, capabilities, this.#output))
    this.#known.set(id, session)
    await this.#use(session)
    return session
  }

  /** @returns undefined for one that is not open here */
  async find(id: string): Promise<Session | undefined> {
    const session = this.#known.get(id)
    if (session !== undefined) await this.#use(session)
    return session
  }

  /** Without using it. */
  peek(id: string): Session | undefined {
    return this.#known.get(id)
  }

  /** Closes a session, and forgets it. */
  async close(id: string): Promise<void> {
    const session = this.#known.get(id)
    this.#known.delete(id)
    await session?.close()
  }

  async closeAll(): Promise<void> {
    const all = [...this.#known.values()]
    this.#known.clear()
    await Promise.all(all.map((session) => session.close()))
  }

  async #use(session: Session): Promise<void> {
    session.usedAt = ++this.#uses
    const others = [...this.#known.values()].filter((other) => other !== session && !other.isBusy)
    others.sort((a, b) => a.usedAt - b.usedAt)
    const started = others.filter((other) => other.isStarted)
    await Promise.all(started.slice(0, Math.max(0, started.length - MOST_STARTED + 1)).map((other) => other.close()))
    for (const { id } of others.slice(0, Math.max(0, this.#known.size - MOST_KNOWN))) this.#known.delete(id)
  }
}
