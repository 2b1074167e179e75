import { AsyncLocalStorage, createHook } from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'

/** Something done to the world outside of svc. */
export interface Effect {
  readonly kind: 'network' | 'program' | 'write' | 'process'
  /** The function, such as `fs.writeFile`. */
  readonly by: string
}

/** Code that is watched: what it asks of clock, random numbers and the world is noted. */
export interface Scope {
  /** Kinds that are refused where they are tried. */
  readonly refuses: ReadonlySet<Effect['kind']>
  readonly effects: Effect[]
  /** The sources of time and random numbers that it read. */
  readonly reads: Set<string>
  /** Milliseconds since the epoch on its clock, which moves with each look, so that a wait for it ends. */
  now(): number
  /** Next random number in [0, 1). */
  random(): number
}

const REFUSALS = new WeakSet<object>()

/** Whether it was thrown because the watched code tried what it must not. */
export const isRefusal = (thrown: unknown): boolean =>
  typeof thrown === 'object' &&
  thrown !== null &&
  (REFUSALS.has(thrown) || (thrown instanceof Error && thrown.cause !== undefined && isRefusal(thrown.cause)))

const scopes = new AsyncLocalStorage<Scope | undefined>()

/** Runs code, and what it goes on with later, under a scope. */
export const within = <T>(scope: Scope, work: () => T): T => scopes.run(scope, work)

/** Whether the code that runs now is watched. */
export const isWatched = (): boolean => scopes.getStore() !== undefined

/** Runs code that is not the watched code's own. */
export const outside = <T>(work: () => T): T => scopes.run(undefined, work)

export function createScope(seed: number, aheadMs: number, refuses: readonly Effect['kind'][]): Scope {
  let state = seed
  let time = PINNED_MS + aheadMs
  return {
    refuses: new Set(refuses),
    effects: [],
    reads: new Set(),
    now() {
      time += LOOK_MS
      return time
    },
    random() {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
      return state / 2_147_483_648
    },
  }
}

/** The moment at which every watched clock begins, and by how much a look moves it. */
const PINNED_MS = Date.UTC(2030, 0, 1)
const LOOK_MS = 10

type Function_ = (this: unknown, ...args: unknown[]) => unknown
type Host = Record<string, unknown>

/** @returns what to throw, where the scope refuses it */
function note(scope: Scope, effect: Effect): Error | undefined {
  scope.effects.push(effect)
  if (!scope.refuses.has(effect.kind)) return undefined
  const refusal = new Error(`${effect.by} is refused while svc checks this code`)
  REFUSALS.add(refusal)
  return refusal
}

const NETWORK: Readonly<Record<string, readonly string[]>> = {
  'node:http': ['request', 'get'],
  'node:https': ['request', 'get'],
  'node:http2': ['connect'],
  'node:net': ['connect', 'createConnection', 'createServer'],
  'node:tls': ['connect'],
  'node:dgram': ['createSocket'],
  'node:dns': ['lookup', 'resolve', 'resolve4', 'resolve6', 'resolveAny', 'resolveTxt', 'reverse'],
  'node:dns/promises': ['lookup', 'resolve', 'resolve4', 'resolve6', 'resolveAny', 'resolveTxt', 'reverse'],
}
const PROGRAMS = ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork']
const WRITES = [
  'writeFile appendFile mkdir mkdtemp rm rmdir unlink rename copyFile cp symlink link chmod chown truncate utimes',
].flatMap((names) => names.split(' '))

/** Flags of `open` that do more than read. */
const opensToWrite = (flags: unknown): boolean =>
  typeof flags === 'number' ? (flags & 3) !== 0 : typeof flags === 'string' && /[wa+]/.test(flags)

let uses = 0
let restore: (() => void)[] = []

/**
 * Watches what scoped code does until the function returned is called. Code outside of a scope notices nothing.
 *
 * @returns how to stop
 */
export function watchWorld(): () => void {
  if (++uses === 1) patchAll()
  return () => {
    if (--uses > 0) return
    for (const undo of restore.reverse()) undo()
    restore = []
    syncBuiltinESMExports()
  }
}

function replace(host: Host, name: string, make: (original: Function_) => Function_): void {
  const original = host[name]
  if (typeof original !== 'function') return
  const made = make(original as Function_)
  const { value: _, ...attributes } = Object.getOwnPropertyDescriptor(host, name) ?? {}
  const isReplaceable = attributes.configurable !== false || attributes.writable === true
  if (!isReplaceable) return
  for (const key of Reflect.ownKeys(original)) {
    if (!(key in made)) Object.defineProperty(made, key, Object.getOwnPropertyDescriptor(original, key) ?? {})
  }
  host[name] = made
  restore.push(() => {
    host[name] = original
  })
}

/** Calls of scoped code are met by `meet`: it notes them, may throw, and may answer in place of the function. */
function patch(
  host: Host,
  name: string,
  meet: (scope: Scope, args: unknown[]) => { answer: unknown } | undefined,
): void {
  replace(
    host,
    name,
    (original) =>
      function (this: unknown, ...args: unknown[]) {
        const scope = scopes.getStore()
        const met = scope === undefined ? undefined : meet(scope, args)
        if (met !== undefined) return met.answer
        // What it does below, such as the socket of a request, is the same effect.
        return scope === undefined ? original.apply(this, args) : outside(() => original.apply(this, args))
      },
  )
}

/** What scoped code does to the world is noted, and refused where the scope says so: by a promise where it answers by one. */
function patchEffect(host: Host, name: string, effect: Effect, counts = (_: unknown[]) => true): void {
  const answersByPromise = name === 'fetch' || host === process.getBuiltinModule('node:fs/promises')
  patch(host, name, (scope, args) => {
    const refusal = counts(args) ? note(scope, effect) : undefined
    if (refusal === undefined) return undefined
    if (answersByPromise) return { answer: Promise.reject(refusal) }
    throw refusal
  })
}

/** What scoped code reads is its scope's. */
function patchSource(host: Host, name: string, by: string, answer: (scope: Scope, args: unknown[]) => unknown): void {
  patch(host, name, (scope, args) => {
    scope.reads.add(by)
    return { answer: answer(scope, args) }
  })
}

function patchAll(): void {
  const loaded = (name: string): Host => process.getBuiltinModule(name) as Host
  const files = loaded('node:fs')
  const promises = loaded('node:fs/promises')
  for (const [module, names] of Object.entries(NETWORK))
    for (const name of names) patchEffect(loaded(module), name, { kind: 'network', by: `${module.slice(5)}.${name}` })
  const socket = (loaded('node:net').Socket as unknown as { prototype: Host }).prototype
  patchEffect(socket, 'connect', { kind: 'network', by: 'net.Socket.connect' })
  patchEffect(globalThis as unknown as Host, 'fetch', { kind: 'network', by: 'fetch' })
  for (const name of PROGRAMS)
    patchEffect(loaded('node:child_process'), name, { kind: 'program', by: `child_process.${name}` })
  for (const name of [...WRITES, ...WRITES.map((each) => `${each}Sync`), 'createWriteStream'])
    for (const host of [files, promises]) patchEffect(host, name, { kind: 'write', by: `fs.${name}` })
  for (const name of ['open', 'openSync'])
    for (const host of [files, promises])
      patchEffect(host, name, { kind: 'write', by: `fs.${name}` }, ([, flags]) => opensToWrite(flags))
  patchEffect(process as unknown as Host, 'chdir', { kind: 'process', by: 'process.chdir' })
  patchSources(loaded('node:crypto'))
  patchDate()
  syncBuiltinESMExports()
  watchHandles()
}

/** What Node opens below a function that was taken before it was replaced. */
const HANDLES: Readonly<Record<string, Effect>> = {
  PROCESSWRAP: { kind: 'program', by: 'child_process' },
  TCPWRAP: { kind: 'network', by: 'net' },
  TCPCONNECTWRAP: { kind: 'network', by: 'net' },
  UDPWRAP: { kind: 'network', by: 'dgram' },
  GETADDRINFOREQWRAP: { kind: 'network', by: 'dns' },
}

/** It is too late to refuse these: they are noted. */
function watchHandles(): void {
  const hook = createHook({
    init(_id, type) {
      const effect = HANDLES[type]
      if (effect !== undefined) scopes.getStore()?.effects.push(effect)
    },
  }).enable()
  restore.push(() => void hook.disable())
}

function patchSources(crypto: Host): void {
  patchSource(performance as unknown as Host, 'now', 'performance.now', (scope) => scope.now() - PINNED_MS)
  patchSource(process as unknown as Host, 'hrtime', 'process.hrtime', (scope) => [Math.floor(scope.now() / 1000), 0])
  const bytes = (scope: Scope, size: number): Buffer =>
    Buffer.from(Array.from({ length: size }, () => Math.floor(scope.random() * 256)))
  const uuid = (scope: Scope): string => {
    const hex = bytes(scope, 16).toString('hex')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`
  }
  const fill = (scope: Scope, [into]: unknown[]): unknown => {
    const view = into as Uint8Array
    new Uint8Array(view.buffer, view.byteOffset, view.byteLength).set(bytes(scope, view.byteLength))
    return into
  }
  patchSource(Math as unknown as Host, 'random', 'Math.random', (scope) => scope.random())
  for (const each of [crypto, globalThis.crypto as unknown as Host]) {
    patchSource(each, 'randomUUID', 'crypto.randomUUID', uuid)
    patchSource(each, 'getRandomValues', 'crypto.getRandomValues', fill)
  }
  patchSource(crypto, 'randomBytes', 'crypto.randomBytes', (scope, [size]) => bytes(scope, Number(size)))
  patchSource(crypto, 'randomInt', 'crypto.randomInt', (scope, [low, high]) => {
    const [from, to] = typeof high === 'number' ? [Number(low), high] : [0, Number(low)]
    return from + Math.floor(scope.random() * (to - from))
  })
}

function patchDate(): void {
  const RealDate = Date
  class WatchedDate extends RealDate {
    constructor(...args: [] | [string | number | Date]) {
      const scope = args.length === 0 ? scopes.getStore() : undefined
      if (scope === undefined) super(...(args as [string]))
      else {
        scope.reads.add('new Date()')
        super(scope.now())
      }
    }
    static override now(): number {
      const scope = scopes.getStore()
      if (scope === undefined) return RealDate.now()
      scope.reads.add('Date.now')
      return scope.now()
    }
    static override [Symbol.hasInstance](value: unknown): boolean {
      return value instanceof RealDate
    }
  }
  globalThis.Date = WatchedDate as DateConstructor
  restore.push(() => {
    globalThis.Date = RealDate
  })
}
