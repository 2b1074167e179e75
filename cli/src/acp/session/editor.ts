import type {
  AgentContext,
  ClientCapabilities,
  CreateElicitationRequest,
  CreateElicitationResponse,
  RequestPermissionOutcome,
  RequestPermissionRequest,
  SessionUpdate,
} from '@agentclientprotocol/sdk'
import type { EditorFiles } from '@svc/plugins'
import type { Stdio } from '../stdio.ts'

/** The editor at the other end, as one session sees it. */
export class Editor {
  readonly #client: AgentContext
  readonly #sessionId: string
  readonly #capabilities: ClientCapabilities
  readonly #output: Pick<Stdio, 'notify' | 'hasRoom'>
  #told = 0

  constructor(
    client: AgentContext,
    sessionId: string,
    capabilities: ClientCapabilities,
    output: Pick<Stdio, 'notify' | 'hasRoom'>,
  ) {
    this.#output = output
    this.#client = client
    this.#sessionId = sessionId
    this.#capabilities = capabilities
  }

  /** Shows something. Where the editor has gone, nobody sees it. */
  update(update: SessionUpdate): void {
    this.#output.notify('session/update', { sessionId: this.#sessionId, update })
  }

  /** Resolves when the editor keeps up with what it is shown. */
  keepsUp(): Promise<void> {
    return this.#output.hasRoom()
  }

  /** A line of svc's own, which is no part of an answer. */
  say(severity: 'info' | 'warning' | 'error', text: string): void {
    if (this.#capabilities.session?.notices != null) this.update({ sessionUpdate: 'notice', severity, title: text })
    else this.tell(`> svc: ${text.replace(/\n/g, '\n> ')}`)
  }

  /** A message that stands by itself, also for an editor that puts messages together. */
  tell(text: string): void {
    this.update({
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'text', text: `\n\n${text}\n\n` },
      messageId: `svc/${++this.#told}`,
    })
  }

  /** @param signal takes the question back */
  async askPermission(
    request: Omit<RequestPermissionRequest, 'sessionId'>,
    signal: AbortSignal,
  ): Promise<RequestPermissionOutcome> {
    const { outcome } = await this.#client.request(
      'session/request_permission',
      { sessionId: this.#sessionId, ...request },
      { cancellationSignal: signal, stopWaitingOnCancel: true },
    )
    return outcome
  }

  /** Whether it can ask for a text. */
  get hasForms(): boolean {
    return this.#capabilities.elicitation?.form != null
  }

  async askForm(
    message: string,
    requestedSchema: Extract<CreateElicitationRequest, { requestedSchema: unknown }>['requestedSchema'],
    signal: AbortSignal,
  ): Promise<CreateElicitationResponse> {
    return this.#client.request(
      'elicitation/create',
      { mode: 'form', message, requestedSchema, sessionId: this.#sessionId },
      { cancellationSignal: signal, stopWaitingOnCancel: true },
    )
  }

  /** Its files; undefined where it reads and writes none. */
  get files(): EditorFiles | undefined {
    const { readTextFile = false, writeTextFile = false } = this.#capabilities.fs ?? {}
    if (!readTextFile) return undefined
    const sessionId = this.#sessionId
    return {
      read: async (path, signal) => {
        const options = { cancellationSignal: signal, stopWaitingOnCancel: true }
        const answer = await this.#client
          .request('fs/read_text_file', { sessionId, path }, options)
          .catch(() => undefined)
        signal.throwIfAborted()
        return typeof answer?.content === 'string' ? answer.content : undefined
      },
      write: async (path, content, signal) => {
        if (!writeTextFile) return false
        const options = { cancellationSignal: signal }
        return this.#client.request('fs/write_text_file', { sessionId, path, content }, options).then(
          () => true,
          () => false,
        )
      },
    }
  }
}

/** A text whose lines and blanks stay as they are. */
export const inBlock = (text: string): string => `\`\`\`\n${text.replaceAll('```', '\u2019\u2019\u2019')}\n\`\`\``
