/** The part of the protocol that is used, in types of our own: nothing of the package is needed to read them. */

/** A tool as a server lists it. */
export interface McpTool {
  readonly name: string
  readonly description: string
  /** JSON Schema of its arguments, as the server sent it: it may be anything. */
  readonly parameters: unknown
}

/** One piece of what a tool, a resource or a prompt holds. */
export type McpBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'resource'; readonly resource: McpContents }
  | {
      readonly type: 'resource_link'
      readonly uri: string
      readonly name: string
      readonly title?: string | undefined
      readonly description?: string | undefined
    }

/** What a resource holds: `text`, or `blob` in base64. */
export interface McpContents {
  readonly uri: string
  readonly mimeType?: string | undefined
  readonly text?: string | undefined
  readonly blob?: string | undefined
}

/** What came of a call. */
export interface McpResult {
  readonly content: readonly McpBlock[]
  readonly structuredContent?: unknown
  /** The tool ran, and says that it failed. */
  readonly isError: boolean
}

export interface McpResource {
  /** A template has a `uri` with `{names}` to fill in. */
  readonly uri: string
  readonly isTemplate: boolean
  readonly name: string
  readonly description?: string | undefined
  readonly mimeType?: string | undefined
}

export interface McpPrompt {
  readonly name: string
  readonly description?: string | undefined
  readonly arguments: readonly {
    readonly name: string
    readonly description?: string | undefined
    readonly required: boolean
  }[]
}

export interface McpPromptMessage {
  readonly role: 'user' | 'assistant'
  readonly content: McpBlock
}

/** What a server wants to know of a person in the middle of a call. */
export interface McpQuestion {
  readonly message: string
  /** JSON Schema of the answer, an object. */
  readonly schema?: Readonly<Record<string, unknown>>
  /** An address that the person is to open; there is no schema then. */
  readonly url?: string
}

/** What a server without sessions waits for: the call goes on from here, also in another process. */
export interface McpPending {
  readonly inputRequests: Readonly<Record<string, unknown>>
  /** What was answered of it. */
  readonly inputResponses: Readonly<Record<string, unknown>>
  readonly requestState?: string | undefined
}

/** `accept` with the content that was asked for, `decline` for a no, `cancel` where nobody answered. */
export interface McpAnswer {
  readonly action: 'accept' | 'decline' | 'cancel'
  readonly content?: Readonly<Record<string, string | number | boolean | string[]>>
}

/** What a server wants a model to say. */
export interface McpSampling {
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: readonly McpBlock[] }[]
  readonly system?: string
  readonly maxTokens: number
  readonly temperature?: number
  readonly stop?: readonly string[]
}

export interface McpSampled {
  readonly model: string
  readonly text: string
  readonly stopReason?: string
}

/** Where a server is opened from. */
export interface McpPlace {
  /** Absolute path of the folder that it works in, which is its root. */
  readonly workspace: string
  /** Whether a person trusts that folder. Otherwise a program starts in the person's home. Default true. */
  readonly trustsWorkspace?: boolean
  /** Variables for placeholders, and for what each program gets. Default the process's. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The person's own folder, whose login is used for a server with an address. Default none. */
  readonly userDir?: string
  /** The `OAuthClientProvider` of the package that signs in, in the place of that login. */
  readonly authProvider?: object
  /** Whether there is somebody who can be asked by the server, and a model that it may use. */
  readonly canAsk?: boolean
  readonly canSample?: boolean
  /** A line that the server wrote to standard error, or logged. */
  onLog?(line: string): void
  onToolsChanged?(): void
  /** Ends the attempt to connect. */
  readonly signal?: AbortSignal
}

/** What a call may need of others while it goes on. */
export interface McpCallOptions {
  readonly signal?: AbortSignal
  /** Longest silence of the server. Default `timeoutMs` of the config. */
  readonly timeoutMs?: number
  /** How far the server is, or what it logs. */
  onProgress?(message: string): void
  /**
   * Asks a person. Absent: the server hears that nobody answers. The time-out stands still meanwhile.
   *
   * @param pending of a server without sessions, at which nothing is under way meanwhile: see `resume`
   */
  ask?(question: McpQuestion, pending?: McpPending): Promise<McpAnswer>
  /** Asks a model. Absent: refused. */
  sample?(request: McpSampling, pending?: McpPending): Promise<McpSampled>
  /** Goes on with a call that waited for a person when its process ended. */
  readonly resume?: McpPending
}
