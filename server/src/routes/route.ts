import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ErrorCode, ServerConfig } from '@svc/core'
import type { Static, TObject, TSchema } from 'typebox'
import type { Answer } from '../http/answer.ts'
import type { ProblemShape } from '../http/problem.ts'
import type { Identity, Need } from '../keys/caller.ts'
import type { ServerContext } from '../server-context.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A request whose parts fit the route's schemas. */
export interface RouteRequest<Params = unknown, Query = unknown, Body = unknown> extends Identity {
  /** Its runtime has what the caller may see. */
  readonly context: ServerContext
  readonly params: Params
  readonly query: Query
  readonly body: Body
  /** Method and path as the route table names them. */
  readonly name: string
  /** Path and query as they were sent. */
  readonly url: string
  readonly message: IncomingMessage
  readonly response: ServerResponse
}

/** One row of the table that routing, validation, the OpenAPI document and the conformance test are made from. */
export interface Route {
  readonly method: Method
  /** Parameters in braces: `/v1/runs/{id}`. */
  readonly path: string
  /** `open`: also without a key. */
  readonly auth: 'open' | 'key'
  /** What the caller has to be, where it needs a key. Default `read` for a GET, and `admin` for all else. */
  readonly needs: Need
  readonly summary: string
  readonly params?: TObject | undefined
  readonly query?: TObject | undefined
  readonly body?: TSchema | undefined
  /** Longest body in bytes. Default the server's limit. */
  readonly bodyBytes?: number | undefined
  /** The protocol of others that it belongs to, by which `server.adapters` switches it off. */
  readonly adapter?: keyof NonNullable<ServerConfig['adapters']> | undefined
  /** How its problems are answered. Default as RFC 9457 has it. */
  readonly problem?: ProblemShape | undefined
  /** Its body is a conversation, with images, and has a limit of its own. */
  readonly isConversation?: boolean | undefined
  /** Takes an `Idempotency-Key`. */
  readonly isKeyed?: boolean | undefined
  /** Begins something, so that it is refused while the server drains. */
  readonly isNewWork?: boolean | undefined
  /** Holds runs whole, of many megabytes: a few of such requests are answered at once, the others wait for their turn. */
  readonly isLarge?: boolean | undefined
  /** Says nothing but that the server is there: probes call it by any address. */
  readonly isProbe?: boolean | undefined
  /** Does not count against the rate limit. */
  readonly isUnlimited?: boolean | undefined
  /** Sends an `ETag`, and answers 304 to a reader that has it. */
  readonly hasTag?: boolean | undefined
  /** Schema of the body by status; null: none. */
  readonly answers: Readonly<Record<number, TSchema | null>>
  /** Media types of a successful answer, the default first. Default `application/json`. */
  readonly media?: readonly string[] | undefined
  /** Codes beside those that every route can answer. */
  readonly errors: readonly ErrorCode[]
  handle(request: RouteRequest): Answer | Promise<Answer>
}

type Of<Schema extends TSchema | undefined> = Schema extends TSchema ? Static<Schema> : undefined

type Typed<P, Q, B> = Omit<Route, 'auth' | 'needs' | 'errors' | 'params' | 'query' | 'body' | 'handle'> & {
  auth?: Route['auth']
  needs?: Need
  errors?: Route['errors']
  params?: P
  query?: Q
  body?: B
  handle(
    request: RouteRequest<
      Of<P extends TSchema ? P : undefined>,
      Of<Q extends TSchema ? Q : undefined>,
      Of<B extends TSchema ? B : undefined>
    >,
  ): Answer | Promise<Answer>
}

/** A route whose handler is typed by its schemas; it needs a key, and answers no code of its own, where it says nothing else. */
export const route = <
  P extends TObject | undefined = undefined,
  Q extends TObject | undefined = undefined,
  B extends TSchema | undefined = undefined,
>(
  typed: Typed<P, Q, B>,
): Route =>
  ({ auth: 'key', needs: typed.method === 'GET' ? 'read' : 'admin', errors: [], ...typed }) as unknown as Route
