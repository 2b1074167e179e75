import { randomUUID } from 'node:crypto'
import type { McpRequestContext, Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { CapacityError } from '@svc/core'
import type { McpPackage } from '../load-package.ts'

const MOST = 1_000
const LONGEST_IDLE_MS = 12 * 3_600_000

interface Session {
  /** Whose key began it. */
  owner: string
  transport: WebStandardStreamableHTTPServerTransport
  /** Requests of it that are not answered yet. */
  open: number
  usedAt: number
}

/** Sessions of clients of the revisions before 2026-07-28: what a client can do, from one request to the next. */
export class Sessions {
  readonly #mcp: McpPackage
  readonly #factory: (context: McpRequestContext) => Server
  readonly #clock: () => number
  /** Those that were not used for the longest time first. */
  readonly #sessions = new Map<string, Session>()

  constructor(mcp: McpPackage, factory: (context: McpRequestContext) => Server, clock: () => number = Date.now) {
    this.#mcp = mcp
    this.#factory = factory
    this.#clock = clock
  }

  get size(): number {
    return this.#sessions.size
  }

  /** Begins a session, which is kept once its client was let in. @throws CapacityError `too_many_streams` */
  async begin(owner: string): Promise<Session> {
    this.#makeRoom()
    const session: Session = {
      owner,
      open: 0,
      usedAt: this.#clock(),
      transport: new this.#mcp.WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        keepAliveMs: 0,
        onsessioninitialized: (id) => void this.#sessions.set(id, session),
        onsessionclosed: (id) => void this.#sessions.delete(id),
      }),
    }
    await this.#factory({ era: 'legacy' }).connect(session.transport)
    return session
  }

  /** @returns undefined for one that has ended, never was, or is of another key */
  find(id: string, owner: string): Session | undefined {
    const session = this.#sessions.get(id)
    return session?.owner === owner ? session : undefined
  }

  /** A request of a session is being answered. @returns to be called when it was */
  use(session: Session): () => void {
    session.open++
    this.#touch(session)
    return () => {
      session.open--
      this.#touch(session)
    }
  }

  #touch(session: Session): void {
    session.usedAt = this.#clock()
    const { sessionId } = session.transport
    if (sessionId === undefined || !this.#sessions.delete(sessionId)) return
    this.#sessions.set(sessionId, session)
  }

  /** Ends what nobody has used for long, and the one that was not used for the longest time where there are too many. */
  #makeRoom(): void {
    const before = this.#clock() - LONGEST_IDLE_MS
    for (const [id, session] of this.#sessions) {
      const isFull = this.#sessions.size >= MOST
      if (!isFull && session.usedAt >= before) return
      if (session.open > 0) continue
      this.#sessions.delete(id)
      session.transport.close().catch(() => {})
    }
    if (this.#sessions.size >= MOST)
      throw new CapacityError('too_many_streams', `${MOST} sessions of MCP clients are at work: end some first`)
  }
}
