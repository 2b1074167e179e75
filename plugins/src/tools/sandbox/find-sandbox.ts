import { randomUUID } from 'node:crypto'
import { mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ToolError, toSvcError } from '@svc/core'
import { DEFAULT_SANDBOX_IMAGE } from '@svc/core/config'
import { type Ended, runProgram } from '../programs/run-program.ts'
import { type Engine, inContainer } from './container.ts'
import { createView, type View } from './view.ts'
import { type HostKind, type Launch, type Limits, pathOf, wrap } from './wrap.ts'

export type SandboxKind = HostKind | Engine

/** What the config says about the sandbox. */
export type SandboxChoice = 'auto' | SandboxKind | 'none'

/** What keeps programs apart on this machine. */
export interface FoundSandbox {
  /** Undefined: nothing does. */
  readonly kind: SandboxKind | undefined
  /** Why others do not, one sentence for each. */
  readonly problems: readonly string[]
}

const KINDS: readonly SandboxKind[] = ['bwrap', 'unshare', 'docker', 'podman']
const NEEDED: Readonly<Record<SandboxKind, readonly string[]>> = {
  bwrap: ['bwrap', 'prlimit'],
  unshare: ['unshare', 'mount', 'pivot_root', 'setpriv', 'prlimit', 'cat'],
  docker: ['docker'],
  podman: ['podman'],
}
const PROBE_MS = 10_000
const CONTAINER_PROBE_MS = 60_000
const PROBE_BYTES = 4_096
const LIMITS = { memoryBytes: 2 ** 29, processes: 64, cpuSeconds: 5, fileBytes: 2 ** 20 }
/** What tells whether a container has this machine's files, gives back what is the person's own, and is bounded. */
const PROBE =
  'cat given && cat given > made; cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes; true'

const probes = new Map<string, Promise<string | undefined>>()

/**
 * The sandbox that a config asks for, tried once in this process by running a program in it.
 *
 * @param image of containers, see `policy.sandboxImage`
 */
export async function findSandbox(
  choice: Exclude<SandboxChoice, 'none'> = 'auto',
  image: string = DEFAULT_SANDBOX_IMAGE,
): Promise<FoundSandbox> {
  const problems: string[] = []
  for (const kind of choice === 'auto' ? KINDS : [choice]) {
    const probe = probes.get(`${kind} ${image}`) ?? tryOut(kind, image)
    probes.set(`${kind} ${image}`, probe)
    const problem = await probe
    if (problem === undefined) return { kind, problems }
    problems.push(problem)
  }
  return { kind: undefined, problems }
}

export const isEngine = (kind: SandboxKind): kind is Engine => kind === 'docker' || kind === 'podman'

/** The start of a program in a sandbox of a kind; the rest as `wrap` has it. */
export const launch = (
  kind: SandboxKind,
  argv: readonly string[],
  limits: Limits,
  view: View,
  before?: readonly string[],
): Launch => (isEngine(kind) ? inContainer(kind, argv, limits, view) : wrap(kind, argv, limits, view, before))

/** The error where nothing keeps programs apart. */
export function unavailable({ problems }: FoundSandbox): ToolError {
  return new ToolError(
    'sandbox_unavailable',
    `programs run in a sandbox only, and there is none: ${problems.join('; ')}. ${SANDBOX_FIX}`,
  )
}

/** The error where the sandbox for one call could not be made, in its own words. */
export const unmade = (kind: SandboxKind, { exitCode, err }: Ended): ToolError =>
  new ToolError(
    'sandbox_unavailable',
    `${kind} could not make the sandbox, and nothing was run: ${err.head.trim().slice(0, 1_000) || `exit code ${exitCode}`}`,
  )

/** What to do where there is no sandbox. */
export function howToGetSandbox(platform: NodeJS.Platform): string {
  const systems: Partial<Record<NodeJS.Platform, string>> = {
    linux:
      'Install bubblewrap (Debian, Ubuntu: apt-get install bubblewrap); where it is installed, let this container or service make user namespaces',
    darwin: `Start Docker or podman, and get the image: docker pull ${DEFAULT_SANDBOX_IMAGE}, or your own one, which policy.sandboxImage names`,
    win32: 'There is none for Windows: run svc in WSL 2, or in a container with Linux',
  }
  const how = systems[platform] ?? `There is none for ${platform}: run svc in a container with Linux`
  return `${how}; or set policy.sandbox to "none" to run programs without one, as you. Other tools work without`
}

export const SANDBOX_FIX = howToGetSandbox(process.platform)

/** @returns what is wrong */
async function tryOut(kind: SandboxKind, image: string): Promise<string | undefined> {
  const isContainer = isEngine(kind)
  const { platform } = process
  if (platform === 'win32' || (platform !== 'linux' && !isContainer)) return `${kind} does not exist on ${platform}`
  const absent = NEEDED[kind].filter((program) => pathOf(program) === undefined)
  if (absent.length > 0) return `${absent.join(', ')} ${absent.length === 1 ? 'is' : 'are'} not installed`
  if (isContainer && process.getuid?.() === 0) return `${kind} would run programs as root where svc is root's`
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-sandbox-')))
  const given = randomUUID()
  writeFileSync(join(folder, 'given'), given)
  try {
    const view = createView({
      workspace: folder,
      program: 'true',
      network: false,
      image: isContainer ? image : undefined,
    })
    const mounts = [...view.mounts, { kind: 'write', path: folder } as const]
    const { argv, env, files, setUp, end } = launch(kind, isContainer ? ['sh', '-c', PROBE] : ['true'], LIMITS, view)
    const { exitCode, err, out } = await runProgram(argv, {
      folder,
      env,
      signal: AbortSignal.timeout(isContainer ? CONTAINER_PROBE_MS : PROBE_MS),
      headBytes: PROBE_BYTES,
      sandbox: { files, setUp: async () => setUp(mounts, { localSockets: false, uncountedMemory: false }) },
      onOutput() {},
    }).finally(() => end?.().catch(() => {}))
    if (/no such image|image not known/i.test(err.head))
      return `${kind} has no image ${image}: get it with ${kind} pull ${image}, or name one that you have in policy.sandboxImage`
    if (exitCode !== 0) return `${kind} does not work here: ${err.head.trim() || `exit code ${exitCode}`}`
    if (!isContainer) return undefined
    const made = statSync(join(folder, 'made'), { throwIfNoEntry: false })
    if (!out.head.includes(given) || made?.uid !== process.getuid?.())
      return `${kind} does not work here: a container does not see your files as yours`
    return out.head.includes(String(LIMITS.memoryBytes)) ? undefined : `${kind} does not bound memory here`
  } catch (thrown) {
    return `${kind} does not work here: ${toSvcError(thrown).message}`
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
