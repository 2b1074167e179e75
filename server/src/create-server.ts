import { randomBytes } from 'node:crypto'
import { ConfigError, type Runtime, toSvcError } from '@svc/core'
import type { Express } from 'express'
import { inAnyShape } from './adapters/any-shape.ts'
import { consoleRoutes } from './console.ts'
import { StreamHub } from './events/stream-hub.ts'
import { createApp } from './http/app.ts'
import { Listener } from './http/listener.ts'
import { OpenResponses } from './http/open-responses.ts'
import { keepLast, toKeys, withoutNames } from './http/request/authenticate.ts'
import { knownHosts } from './http/request/hosts.ts'
import { RateLimit } from './http/request/rate-limit.ts'
import { RefusedKeys } from './http/request/refused-keys.ts'
import { ConsoleCodes } from './keys/console-codes.ts'
import { GoodKeys } from './keys/good-keys.ts'
import { readLocalKeys } from './keys/local-key.ts'
import { toLogLine } from './observe/http-log.ts'
import { Metrics } from './observe/metrics.ts'
import { ProviderWatch } from './observe/provider-watch.ts'
import { StoreWatch } from './observe/store-watch.ts'
import { PROBE_ROUTES, ROUTES, type Route } from './routes/index.ts'
import { HeldRequests } from './runs/held-requests.ts'
import { Waiters } from './runs/waiters.ts'
import type { LiveSettings, Server, ServerOptions } from './server.ts'
import type { ServerContext, ServerLimits } from './server-context.ts'
import { signInRoutes } from './sign-in/routes.ts'
import { SignIn } from './sign-in/sign-in.ts'

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

/** Makes the HTTP server of a runtime. */
export function createServer(options: ServerOptions): Server {
  const { runtime, host = '127.0.0.1', port = 4000, log } = options
  const isProbesOnly = options.probesOnly === true
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
  const providers = new ProviderWatch(runtime)
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
  let isDraining = false
  const refused = new RefusedKeys(runtime)
  const open = new OpenResponses()
  const context: ServerContext = {
    runtime,
    limits,
    metrics,
    store,
    providers,
    streams,
    waiters: new Waiters(runtime, () => isDraining),
    heldRequests,
    experiments: options.experiments,
    get isDraining() {
      return isDraining
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

  const appOf = (live: LiveSettings): Express => {
    const { allowedHosts = [], allowedOrigins = [], publicUrl } = live
    openSignIn(live)
    return createApp({
      ...servedBy(live, isProbesOnly, signIn === undefined ? [] : signInRoutes(signIn, runtime)),
      context,
      keys,
      localKeys,
      signIn,
      localKeyFile: localKey.file,
      rateLimit: new RateLimit(limits.requestsPerMinute),
      shapeOfMissing: inAnyShape,
      addresses: { isKnownHost: knownHosts(allowedHosts, publicUrl), allowedOrigins },
      open,
      onAnswered: (request, response, seconds) =>
        log?.(toLogLine(request, response, seconds, [...localKeys(), ...withoutNames(keys())])),
      onAuthFailure: (address) => {
        metrics.authFailed()
        refused.add(address)
      },
    })
  }
  let app = appOf(options)
  const listener = new Listener({
    host,
    port,
    streams: limits.sseTotal,
    answer: (request, response) => app(request, response),
  })
  const goodKeys = new GoodKeys(
    keys,
    () => signIn,
    (kept) => streams.keep(kept),
  )

  /** Waits for what is open, then closes. */
  const end = async (drainMs: number): Promise<void> => {
    auditStop(runtime, isProbesOnly ? '' : listener.url, refused)
    streams.endWatchers()
    const timer = setTimeout(() => {
      streams.close()
      listener.cut()
    }, drainMs)
    await open.idle()
    clearTimeout(timer)
    streams.close()
    await listener.close()
    goodKeys.stop()
    stopListening()
    stopMeasuring?.()
  }
  let closing: Promise<void> | undefined
  const drain = (): void => {
    isDraining = true
    // A runtime that is closed takes no writes either.
    stopWatching()
  }

  return {
    get app() {
      return app
    },
    reload(settings) {
      const before = { ...limits }
      Object.assign(limits, LIMITS, settings.limits)
      try {
        app = appOf(settings)
        providers.forget()
      } catch (thrown) {
        Object.assign(limits, before)
        throw thrown
      }
      listener.makeRoom(limits.sseTotal)
      goodKeys.look()
    },
    get url() {
      return listener.url
    },
    localKey: localKey.key,
    consoleLink() {
      // A server that listens on every address is opened by the one that is always there.
      const page = `${listener.url.replace(/\/\/(0\.0\.0\.0|\[::\])(?=:)/, '//127.0.0.1')}/console/`
      return keys().length === 0 ? `${page}#code=${codes.make()}` : page
    },
    async listen() {
      if (!listener.isLocal && !context.hasKeys && !isProbesOnly && options.insecureNoAuth !== true) {
        throw new ConfigError(
          'config_invalid',
          `the server does not listen on ${host} without a key: set SERVICE_API_KEY or server.oidc, or pass --insecure-no-auth`,
        )
      }
      await listener.open()
      const { url } = listener
      if (isProbesOnly) return url
      try {
        runtime.audit?.('server.started', { url, hasKeys: context.hasKeys })
      } catch (thrown) {
        void listener.close()
        throw thrown
      }
      // Keys are good without the provider, so nobody waits for it.
      void signIn?.check().catch((thrown) => process.emitWarning(toSvcError(thrown).message, 'SvcWarning'))
      return url
    },
    drain,
    close(drainMs = DRAIN_MS) {
      drain()
      closing ??= end(drainMs)
      return closing
    },
  }
}

/** The routes under some settings, and those of protocols that they switch off. */
function servedBy(
  { adapters, console: hasConsole, metrics }: LiveSettings,
  isProbesOnly: boolean,
  ofSignIn: readonly Route[],
): { routes: readonly Route[]; switchedOff: readonly Route[] } {
  const isOn = ({ adapter }: Route): boolean => adapter === undefined || adapters?.[adapter] !== false
  const pages = hasConsole === false ? [] : [...consoleRoutes, ...ofSignIn]
  const served = isProbesOnly ? PROBE_ROUTES : [...ROUTES.filter(isOn), ...pages]
  const lock = (route: Route): Route => (route.path === '/metrics' ? { ...route, auth: 'key' } : route)
  return {
    routes: metrics?.auth ? served.map(lock) : served,
    switchedOff: isProbesOnly ? [] : ROUTES.filter((route) => !isOn(route)),
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
