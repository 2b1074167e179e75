import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ToolError, toSvcError } from '@svc/core'
import { type Ended, runProgram } from '../programs/run-program.ts'
import { createView } from './view.ts'
import { pathOf, type SandboxKind, wrap } from './wrap.ts'

/** What the config says about the sandbox. */
export type SandboxChoice = 'auto' | SandboxKind | 'none'

/** What keeps programs apart on this machine. */
export interface FoundSandbox {
  /** Undefined: nothing does. */
  readonly kind: SandboxKind | undefined
  /** Why others do not, one sentence for each. */
  readonly problems: readonly string[]
}

const KINDS: readonly SandboxKind[] = ['bwrap', 'unshare']
const NEEDED: Readonly<Record<SandboxKind, readonly string[]>> = {
  bwrap: ['bwrap', 'prlimit'],
  unshare: ['unshare', 'mount', 'pivot_root', 'setpriv', 'prlimit', 'cat'],
}
const PROBE_MS = 10_000
const PROBE_BYTES = 4_096
const LIMITS = { memoryBytes: 2 ** 29, processes: 64, cpuSeconds: 5, fileBytes: 2 ** 20 }

const probes = new Map<SandboxKind, Promise<string | undefined>>()

/** The sandbox that a config asks for, tried once in this process by running a program in it. */
export async function findSandbox(choice: Exclude<SandboxChoice, 'none'> = 'auto'): Promise<FoundSandbox> {
  const problems: string[] = []
  for (const kind of choice === 'auto' ? KINDS : [choice]) {
    const probe = probes.get(kind) ?? tryOut(kind)
    probes.set(kind, probe)
    const problem = await probe
    if (problem === undefined) return { kind, problems }
    problems.push(problem)
  }
  return { kind: undefined, problems }
}

/** The error where nothing keeps programs apart. */
export function unavailable({ problems }: FoundSandbox): ToolError {
  return new ToolError(
    'sandbox_unavailable',
    `programs run in a sandbox only, and there is none: ${problems.join('; ')}. ${HOW}`,
  )
}

/** The error where the sandbox for one call could not be made, in its own words. */
export const unmade = (kind: SandboxKind, { exitCode, err }: Ended): ToolError =>
  new ToolError(
    'sandbox_unavailable',
    `${kind} could not make the sandbox, and nothing was run: ${err.head.trim().slice(0, 1_000) || `exit code ${exitCode}`}`,
  )

const SYSTEMS: Partial<Record<NodeJS.Platform, string>> = {
  linux: 'Install bubblewrap (Debian, Ubuntu: apt-get install bubblewrap)',
  darwin: 'There is none for macOS: run svc in a container or a virtual machine with Linux',
  win32: 'There is none for Windows: run svc in WSL 2, or in a container with Linux',
}
export const HOW = `${SYSTEMS[process.platform] ?? `There is none for ${process.platform}: run svc in a container with Linux`}, or set policy.sandbox to "none" to run without one`

/** @returns what is wrong */
async function tryOut(kind: SandboxKind): Promise<string | undefined> {
  if (process.platform !== 'linux') return `${kind} does not exist on ${process.platform}`
  const absent = NEEDED[kind].filter((program) => pathOf(program) === undefined)
  if (absent.length > 0) return `${absent.join(', ')} ${absent.length === 1 ? 'is' : 'are'} not installed`
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-sandbox-')))
  try {
    const view = createView({ workspace: folder, program: 'true', network: false })
    const mounts = [...view.mounts, { kind: 'write', path: folder } as const]
    const launch = wrap(kind, ['true'], LIMITS, view)
    const { exitCode, err } = await runProgram(launch.argv, {
      folder,
      env: view.env,
      signal: AbortSignal.timeout(PROBE_MS),
      headBytes: PROBE_BYTES,
      sandbox: {
        files: launch.files,
        setUp: async () => launch.setUp(mounts, { localSockets: false, uncountedMemory: false }),
      },
      onOutput() {},
    })
    return exitCode === 0 ? undefined : `${kind} does not work here: ${err.head.trim() || `exit code ${exitCode}`}`
  } catch (thrown) {
    return `${kind} does not work here: ${toSvcError(thrown).message}`
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
