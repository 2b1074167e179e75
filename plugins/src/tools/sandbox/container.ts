/** A container of docker or podman as the sandbox: the programs are the image's, and of this machine it sees the workspace. */
import { randomBytes } from 'node:crypto'
import { ToolError } from '@svc/core'
import { INPUT_FD, runProgram, STATUS_FD } from '../programs/run-program.ts'
import type { Mount, View } from './view.ts'
import { bytesOf } from './workspace/on-disk.ts'
import { FOLDERS, type Launch, type Limits, pathOf, quoted, SHARED_BYTES, THREADS_EACH } from './wrap.ts'

export type Engine = 'docker' | 'podman'

/** What an engine's client needs of this process' environment to find its machine or server. */
const OF_ENGINE = /^(?:HOME|TMPDIR|XDG_\w+|DOCKER_\w+|CONTAINERS?_\w+)$/
const OPEN_FILES = 'nofile=1024:4096'
const REMOVE_MS = 60_000

/** The start of a program in a container, of an image that is there. */
export function inContainer(kind: Engine, argv: readonly string[], limits: Limits, view: View): Launch {
  const engine = pathOf(kind) ?? kind
  const name = `svc-${randomBytes(8).toString('hex')}`
  const own = Object.entries(process.env).filter(([key]) => OF_ENGINE.test(key)) as [string, string][]
  const env = { ...Object.fromEntries(own), PATH: FOLDERS.join(':') }
  const words = (mounts: readonly Mount[]): string =>
    [engine, '--log-level', 'error', 'run', '--name', name, ...toOptions(kind, limits, { ...view, mounts })]
      .map(quoted)
      .join(' ')
  return {
    argv: ['/bin/sh', '-c', `set_up=$(cat <&${INPUT_FD}); eval "$set_up"`, 'sh', ...argv],
    env,
    hasFilter: false,
    files: [],
    setUp: (mounts) => [
      bytesOf(
        [
          `program=$1; shift; ${words(mounts)} --entrypoint "$program" ${quoted(view.image ?? '')} "$@" ${STATUS_FD}>&-`,
          `code=$?; ${quoted(engine)} inspect --format '{{.State.StartedAt}} {{.State.OOMKilled}}' ${name} >&${STATUS_FD} 2>/dev/null`,
          'exit $code',
        ].join('\n'),
      ),
    ],
    refusal: /^(?:docker: Error response from daemon|Error): [^\n]*(?:exec: "|executable file|open executable)/m,
    hasRun: (status) => /^\d{4}-/.test(status) && !status.startsWith('0001-'),
    ranOut: (status) => status.trim().endsWith('true'),
    async end() {
      const { exitCode, err } = await runProgram([engine, 'rm', '--force', '--volumes', name], {
        folder: '/',
        env,
        signal: new AbortController().signal,
        stop: AbortSignal.timeout(REMOVE_MS),
        headBytes: 1_000,
        onOutput() {},
      })
      if (exitCode !== 0 && !/no such container|no container with name/i.test(err.head))
        throw new ToolError(
          'tool_failed',
          `${kind} could not end container ${name}, which may still run: ${err.head.trim()}`,
        )
    },
  }
}

function toOptions(kind: Engine, { memoryBytes, processes, cpuSeconds, fileBytes }: Limits, view: View): string[] {
  const person = `${process.getuid?.()}:${process.getgid?.()}`
  return [
    ...['--pull', 'never', '--log-driver', 'none', '--stop-timeout', '0'],
    ...['--user', person, '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
    // else a machine with SELinux keeps the workspace from it
    ...['--security-opt', 'label=disable', '--read-only'],
    ...(kind === 'podman' ? ['--userns', 'keep-id', '--read-only-tmpfs=false'] : []),
    ...(view.network ? [] : ['--network', 'none']),
    ...['--memory', String(memoryBytes), '--memory-swap', String(memoryBytes)],
    ...['--pids-limit', String(processes * THREADS_EACH), '--shm-size', String(SHARED_BYTES)],
    ...['core=0', `cpu=${cpuSeconds}`, `fsize=${fileBytes}`, OPEN_FILES].flatMap((limit) => ['--ulimit', limit]),
    ...['--hostname', 'sandbox', '--workdir', view.folder],
    ...Object.entries(view.env).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
    // queues of messages are memory that outlives who made it
    ...[...view.mounts, { kind: 'empty', path: '/dev/mqueue', bytes: 0 } as const].flatMap((mount) =>
      toMount(kind, mount),
    ),
  ]
}

function toMount(kind: Engine, mount: Mount): string[] {
  if (mount.kind === 'empty' && mount.bytes > 0)
    return ['--tmpfs', `${mount.path}:rw,exec,nosuid,nodev,mode=1777,size=${mount.bytes}`]
  // which else has a copy of what it covers
  const uncopied = kind === 'podman' ? ['notmpcopyup'] : []
  if (mount.kind === 'empty') return toMountOption('type=tmpfs', `target=${mount.path}`, 'ro', ...uncopied)
  if (mount.kind === 'blank') return toMountOption('type=bind', 'source=/dev/null', `target=${mount.path}`, 'ro')
  const access = mount.kind === 'write' ? [] : ['ro']
  return toMountOption('type=bind', `source=${mount.path}`, `target=${mount.path}`, ...access)
}

/** Fields with commas stand in quotes. */
const toMountOption = (...fields: string[]): string[] => [
  '--mount',
  fields.map((field) => `"${field.replaceAll('"', '""')}"`).join(','),
]
