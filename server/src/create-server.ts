import { randomBytes } from 'node:crypto'
import { createServer as createHttpServer, type Server as HttpServer, type RequestListener } from 'node:http'
import { ConfigError, type Runtime, type ServerConfig, toSvcError } from '@svc/core'
import express, { type Express, type NextFunction, type Request, type Response } from 'express'
import helmet from 'helmet'
import { inAnyShape } from './adapters/any-shape.ts'
import { consoleRoutes } from './console.ts'
import { StreamHub } from './events/stream-hub.ts'
import { dispatch } from './http/dispatch.ts'
import { mostSockets } from './http/most-sockets.ts'
import { OpenResponses } from './http/open-responses.ts'
import { holdersOf, type Keys, keepLast, toKeys, withoutNames } from './http/request/authenticate.ts'
import { answerBroken } from './http/request/broken-request.ts'
import { knownHosts } from './http/request/hosts.ts'
import { RateLimit } from './http/request/rate-limit.ts'
import { RefusedKeys } from './http/request/refused-keys.ts'
import { requestIdOf } from './http/request/request-id.ts'
import { begin, stateOf } from './http/request/request-state.ts'
import { answerTrace } from './http/request/trace-header.ts'
import { sendError } from './http/send.ts'
import { ConsoleCodes } from './keys/console-codes.ts'
import { type LocalKey, readLocalKeys } from './keys/local-key.ts'
import { type LogLine, statusOf, toLogLine } from './observe/http-log.ts'
import { Metrics } from './observe/metrics.ts'
import { ProviderWatch } from './observe/provider-watch.ts'
import { StoreWatch } from './observe/store-watch.ts'
import { PROBE_ROUTES, ROUTES, type Route } from './routes/index.ts'
import { HeldRequests } from './runs/held-requests.ts'
import { Waiters } from './runs/waiters.ts'
import type { ServerContext, ServerLimits } from './server-context.ts'
import { signInRoutes } from './sign-in/routes.ts'
import { SignIn } from './sign-in/sign-in.ts'

/** What a server is made of. Everything but the runtime has a default. */
export interface ServerOptions extends Omit<ServerConfig, 'limits'> {
  /** Closed by the caller, also after the server has closed. */
  runtime: Runtime
  limits?: Partial<ServerLimits>
  /**
   * Keys that are good now. Default those of `SERVICE_API_KEY`, separated by commas. Where there were some and none is left,
   * the last ones stay good, and a warning of the process says so.
   */
  keys?: Keys
  /**
   * What decides needs this key, where there are no others: answers, deleting, changes of agents and memories, and what loosens
   * policy or budget. Default a new random one, which only `Server.localKey` tells.
   */
  localKey?: LocalKey
  /** Absolute path, without links, of the folder in which `svc experiment` keeps what it measures. Default none. */
  experiments?: string
  /** Listens on any address without a key. Default false. */
  insecureNoAuth?: boolean
  /**
   * True: `/livez`, `/readyz`, `/health` and `/metrics` alone are served, by any name and on any address without a key, as a worker
   * does. Default false.
   */
  probesOnly?: boolean
  /** Receives a line for each request. Default nothing is logged. */
  log?: (line: LogLine) => void
}

/** What can be changed while the server listens. */
export interface LiveSettings
  extends Pick<
    ServerConfig,
    'adapters' | 'allowedHosts' | 'allowedOrigins' | 'console' | 'metrics' | 'oidc' | 'publicUrl'
  > {
  limits?: Partial<ServerLimits>
}

/** A server that listens, or will. */
export interface Server {
  /**
   * Begins to listen.
   *
   * @returns its address
   * @throws ConfigError `config_invalid` for another address than the local one without a key, or one that cannot be used
   */
  listen(): Promise<string>
  /** Refuses new work from now on, as `/readyz` says; goes on to answer until `close`. */
  drain(): void
  /**
   * Refuses new work, waits until what is open was answered, then closes. Runs go on: nothing is cancelled.
   *
   * @param drainMs how long to wait; default 30 000
   */
  close(drainMs?: number): Promise<void>
  /**
   * Goes on with other settings: requests from now on are answered by them, those that are open end as they began. A limit
   * that is left out gets its default. Streams whose key is good no more are cut.
   */
  reload(settings: LiveSettings): void
  /** Address such as `http://127.0.0.1:4000`; empty before it listens. */
  readonly url: string
  /** What decides is asked for with it, while there are no other keys. */
  readonly localKey: string
  /** Address of the console. While there are no keys it has a code in it, good for an hour and for one tab, which may then decide. */
  consoleLink(): string
  /** Answers a request, for a server of the caller's own. */
  readonly app: RequestListener
}

const LIMITS: ServerLimits = {
  bodyBytes: 1_048_576,
  conversationBytes: 33_554_432,
  taskChars: 200_000,
  jsonDepth: 64,
  requestsPerMinute: 600,
  sseTotal: 2_000,
  ssePerKey: 500,
  sseBufferBytes: 1_048_576,
  payloadBytes: 262_144,
}
const DRAIN_MS = 30_000
/** How often it is looked whether keys were taken away. */
const KEYS_MS = 1_000
/** On one connection: who sends thousands ahead makes nobody else wait for them. */
const MOST_REQUESTS = 100
const MAX_HEADER_BYTES = 16 * 1024

/** Makes the HTTP server of a runtime. */
export function createServer(options: ServerOptions): Server {
  const { runtime, host = '127.0.0.1', port = 4000, log } = options
  const keys = keepLast(options.keys ?? (() => toKeys(process.env.SERVICE_API_KEY)), () =>
    process.emitWarning(
      'no key is left, which would open the server to everybody: the last ones stay good',
      'SvcWarning',
    ),
  )
  const { localKey = { key: randomBytes(32).toString('base64url') } } = options
  const localKeys = readLocalKeys(localKey)
  const codes = new ConsoleCodes()
  const limits = { ...LIMITS, ...options.limits }
  const store = new StoreWatch(runtime)
  const stopWatching = store.begin()
  const providers = new ProviderWatch()
  const metrics = new Metrics(() => streams.size, runtime, { store, providers })
  const streams = new StreamHub(runtime, limits, (reason) => metrics.streamEnded(reason))
  const heldRequests = new HeldRequests()
  const stopListening = runtime.onEvent(
    (event) => {
      metrics.apply(event)
      providers.apply(event)
      heldRequests.apply(event)
    },
    { passive: true, begun: true },
  )
  const stopMeasuring = runtime.onMeasure?.((measured) => metrics.measure(measured))
  const state = { isDraining: false }
  const refused = new RefusedKeys(runtime)
  const open = new OpenResponses()
  const context: ServerContext = {
    runtime,
    limits,
    metrics,
    store,
    providers,
    streams,
    waiters: new Waiters(runtime, () => state.isDraining),
    heldRequests,
    experiments: options.experiments,
    get isDraining() {
      return state.isDraining
    },
    get hasKeys() {
      return keys().length > 0 || signIn !== undefined
    },
    exchange: (code) => (codes.take(code) && keys().length === 0 ? localKey.key : undefined),
  }

  let signIn: SignIn | undefined
  let signInKey = ''
  /** Sessions and what is known of the provider stay where nothing has changed. */
  const openSignIn = ({ oidc, publicUrl }: LiveSettings): void => {
    const key = JSON.stringify([oidc, publicUrl])
    if (key === signInKey) return
    signIn = oidc === undefined ? undefined : new SignIn({ oidc, publicUrl })
    signInKey = key
  }

  const createApp = (live: LiveSettings): Express => {
    const { allowedHosts = [], allowedOrigins = [], publicUrl, ...settings } = live
    const isKnownHost = knownHosts(allowedHosts, publicUrl)
    openSignIn(live)
    const app = express()
    app.disable('x-powered-by').disable('etag').set('query parser', false).enable('case sensitive routing')
    app.use(helmet(HEADERS))
    app.use((request: Request, response: Response, next: NextFunction) => {
      const { requestId, startedAt } = begin(response, requestIdOf(request))
      response.setHeader('X-Request-Id', requestId)
      answerTrace(request, response)
      response.setHeader('Cache-Control', 'no-store')
      if (state.isDraining) response.setHeader('Connection', 'close')
      open.add(response)
      response.on('close', () => {
        const { route } = stateOf(response)
        const seconds = (performance.now() - startedAt) / 1000
        metrics.request({ method: request.method, route, status: statusOf(response), seconds })
        log?.(toLogLine(request, response, seconds, [...localKeys(), ...withoutNames(keys())]))
      })
      next()
    })
    const isOn = ({ adapter }: Route): boolean => adapter === undefined || settings.adapters?.[adapter] !== false
    const pages = signIn === undefined ? consoleRoutes : [...consoleRoutes, ...signInRoutes(signIn, runtime)]
    const served = [...ROUTES.filter(isOn), ...(settings.console === false ? [] : pages)]
    const routes = options.probesOnly === true ? PROBE_ROUTES : served
    dispatch(app, settings.metrics?.auth ? routes.map(lockMetrics) : routes, {
      context,
      keys,
      localKeys,
      signIn,
      localKeyFile: localKey.file,
      rateLimit: new RateLimit(limits.requestsPerMinute),
      shapeOfMissing: inAnyShape,
      switchedOff: options.probesOnly === true ? [] : ROUTES.filter((route) => !isOn(route)),
      addresses: { isKnownHost, allowedOrigins },
      onAuthFailure: (address) => {
        metrics.authFailed()
        refused.add(address)
      },
    })
    app.use((thrown: unknown, request: Request, response: Response, _next: NextFunction) => {
      sendError(thrown, request, response)
    })
    return app
  }
  let app = createApp(options)

  const server = createHttpServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: 1_000,
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    (request, response) => app(request, response),
  )
  server.on('clientError', answerBroken)
  let sockets = 0
  // A connection that waits for its next request makes room for a new one.
  server.on('connection', (socket) => {
    if (++sockets >= server.maxConnections) server.closeIdleConnections()
    socket.on('close', () => sockets--)
  })
  server.maxConnections = mostSockets(limits.sseTotal)
  server.maxRequestsPerSocket = MOST_REQUESTS
  let closing: Promise<void> | undefined
  let known: ReturnType<typeof holdersOf> = new Map()
  /** Streams end whose key is good no more, or gives less or other than it did, also where nobody asks for anything. */
  const cutRevoked = (): void => {
    const now = new Map([...holdersOf(keys()), ...(signIn?.holders() ?? [])])
    const kept = [...now].filter(([holder, rights]) => (known.get(holder) ?? rights) === rights)
    streams.keep(new Set(kept.map(([holder]) => holder)))
    known = now
  }
  // Those of the start are known before a request asks.
  cutRevoked()
  const watching = setInterval(() => {
    try {
      cutRevoked()
    } catch {
      // The next request gets the error.
    }
  }, KEYS_MS)
  watching.unref()

  return {
    get app() {
      return app
    },
    reload(settings) {
      const before = { ...limits }
      Object.assign(limits, LIMITS, settings.limits)
      try {
        app = createApp(settings)
        providers.forget()
      } catch (thrown) {
        Object.assign(limits, before)
        throw thrown
      }
      server.maxConnections = mostSockets(limits.sseTotal)
      cutRevoked()
    },
    get url() {
      return urlOf(server, host)
    },
    localKey: localKey.key,
    consoleLink() {
      // A server that listens on every address is opened by the one that is always there.
      const page = `${urlOf(server, host).replace(/\/\/(0\.0\.0\.0|\[::\])(?=:)/, '//127.0.0.1')}/console/`
      return keys().length === 0 ? `${page}#code=${codes.make()}` : page
    },
    async listen() {
      const isOpen = options.probesOnly === true || options.insecureNoAuth === true
      if (!isLocal(host) && !context.hasKeys && !isOpen) {
        throw new ConfigError(
          'config_invalid',
          `the server does not listen on ${host} without a key: set SERVICE_API_KEY or server.oidc, or pass --insecure-no-auth`,
        )
      }
      await listenOn(server, host, port)
      const url = urlOf(server, host)
      if (options.probesOnly === true) return url
      try {
        runtime.audit?.('server.started', { url, hasKeys: context.hasKeys })
      } catch (thrown) {
        server.close()
        throw thrown
      }
      // Keys are good without the provider, so nobody waits for it.
      void signIn?.check().catch((thrown) => process.emitWarning(toSvcError(thrown).message, 'SvcWarning'))
      return url
    },
    drain() {
      state.isDraining = true
    },
    close(drainMs = DRAIN_MS) {
      state.isDraining = true
      if (closing === undefined) auditStop(runtime, options.probesOnly === true ? '' : urlOf(server, host), refused)
      closing ??= drain(server, open, streams, drainMs).finally(() => {
        clearInterval(watching)
        stopWatching()
        stopListening()
        stopMeasuring?.()
      })
      return closing
    },
  }
}

/** A server stops also where that cannot be written down. */
function auditStop({ audit }: Runtime, url: string, refused: RefusedKeys): void {
  refused.flush()
  try {
    if (url !== '') audit?.('server.stopped', { url })
  } catch (thrown) {
    process.emitWarning(`that the server stops was not written down: ${thrown}`, 'SvcWarning')
  }
}

const isLocal = (host: string): boolean => /^(127(\.\d{1,3}){3}|localhost|::1|\[::1\])$/.test(host)

const lockMetrics = (route: (typeof ROUTES)[number]): (typeof ROUTES)[number] =>
  route.path === '/metrics' ? { ...route, auth: 'key' } : route

/** What a browser may do with an answer: show it as data, and nothing else. */
const HEADERS = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      'default-src': ["'none'"],
      'base-uri': ["'none'"],
      'form-action': ["'none'"],
      'frame-ancestors': ["'none'"],
    },
  },
  crossOriginEmbedderPolicy: false,
  crossOriginOpenerPolicy: false,
  crossOriginResourcePolicy: false,
  originAgentCluster: false,
  strictTransportSecurity: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xFrameOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
} satisfies Parameters<typeof helmet>[0]

function urlOf(server: HttpServer, host: string): string {
  const address = server.address()
  if (address === null || typeof address === 'string') return ''
  return `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${address.port}`
}

/** @throws ConfigError for an address that cannot be used */
function listenOn(server: HttpServer, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => {
      const why = error.code === 'EADDRINUSE' ? 'it is in use: choose another with --port' : error.message
      reject(new ConfigError('config_invalid', `cannot listen on ${host}:${port}: ${why}`, { cause: error }))
    }
    server.once('error', fail)
    server.listen(port, host.replace(/^\[|\]$/g, ''), () => {
      server.off('error', fail)
      resolve()
    })
  })
}

/** Waits for what is open, then closes. */
async function drain(server: HttpServer, open: OpenResponses, streams: StreamHub, drainMs: number): Promise<void> {
  streams.endWatchers()
  const timer = setTimeout(() => {
    streams.close()
    server.closeAllConnections()
  }, drainMs)
  await open.idle()
  clearTimeout(timer)
  streams.close()
  await new Promise<void>((resolve) => {
    server.close(() => resolve())
    server.closeIdleConnections()
    // A connection that has sent half a request is answered by nobody any more.
    setImmediate(() => server.closeAllConnections())
  })
}
