/** Calls that a person's rules are about, in the shapes that arguments may have. */
import type { PolicyRule, Tool, Touched } from '@svc/core'
import { type CallOptions, callTools } from '../fixtures/call-tools.ts'
import { createWorkspace } from '../fixtures/tool-context.ts'

/** A tool of a plugin or a server that says nothing of what its arguments are. */
export const unsaid = (run: Tool['run'] = async () => 'done', more: Partial<Tool> = {}): Tool => ({
  id: 'other',
  description: 'does something',
  parameters: { type: 'object' },
  risk: 'write',
  run,
  ...more,
})

/** A tool that says what a call touches, in the arguments themselves. */
export const said = (risk: Tool['risk'] = 'write'): Tool =>
  unsaid(async () => 'done', { id: 'said', risk, touches: async (args) => args as Touched })

export const FORBIDDEN: PolicyRule[] = [
  { tool: '*', decision: 'deny', paths: ['secrets/*', 'secrets'] },
  { tool: '*', decision: 'deny', hosts: ['evil.example', '*.evil.example', '169.254.169.254'] },
  { tool: '*', decision: 'deny', command: ['rm'] },
  { tool: '*', decision: 'deny', command: ['git', 'push'] },
]

/** Each touches what a rule forbids. */
export const SHAPES: readonly unknown[] = [
  { path: 'secrets/a' },
  { target: 'secrets/a' },
  { anything: './secrets/a' },
  { options: { path: 'secrets/a' } },
  [{ path: 'secrets/a' }],
  { items: [{ deep: { er: ['docs/../secrets/a'] } }] },
  { files: { 'secrets/a': 'x' } },
  { path: 'secrets/' },
  { path: 'secrets/deep/er' },
  { at: 'FILEURL' },
  { url: 'https://evil.example/x' },
  { url: 'HTTPS://EVIL.EXAMPLE./x' },
  { url: 'https:\\\\evil.example\\x' },
  { url: '//evil.example/x' },
  { to: 'evil.example' },
  { to: 'evil.example:8443' },
  { to: 'user@evil.example' },
  { request: { url: 'https://a.evil.example' } },
  { url: 'https://good.example/?to=https://evil.example/' },
  { url: 'https://good.example/?to=https%3A%2F%2Fevil.example%2F' },
  { text: 'see (https://evil.example/x), please' },
  { url: 'http://2852039166/latest' },
  { url: 'http://0xa9.0xfe.0xa9.0xfe/latest' },
  { command: ['rm', '-rf', 'x'] },
  { command: ['/bin/rm', '-rf', 'x'] },
  { command: 'rm -rf x' },
  { cmd: 'rm -rf x' },
  { cmd: 'ls; /usr/bin/rm x' },
  { script: 'echo $(rm x)' },
  { command: ['sh', '-c', 'rm x'] },
  { command: ['env', 'rm', 'x'] },
  { command: ['git', '-c', 'core.pager=x', 'push'] },
]

const inWorkspace = (workspace: string, args: unknown): unknown =>
  JSON.parse(JSON.stringify(args).replace('FILEURL', `file://${workspace}/secrets/a`))

/** The shapes that were called although a rule forbids what they touch. */
export async function forbiddenCalled(options: CallOptions = {}): Promise<unknown[]> {
  const { workspace } = await createWorkspace({ 'secrets/a': 'canary' })
  const calls = SHAPES.map((args) => ({ tool: 'other', args: inWorkspace(workspace, args) }))
  const { outcomes } = await callTools(workspace, calls, {
    config: { policy: { rules: [{ tool: '*', decision: 'allow' }, ...FORBIDDEN] } },
    tools: [unsaid(undefined, { parameters: {} })],
    ...options,
  })
  return SHAPES.filter((_, index) => outcomes[index]?.code === 'ok')
}

/** Each has a part that no rule allows. */
export const HALVES: readonly { tool: string; args: unknown }[] = [
  { tool: 'other', args: { path: 'docs/a' } },
  { tool: 'other', args: { path: 'docs/a', target: '/etc/x' } },
  { tool: 'other', args: { path: 'docs/a', options: { to: 'src/b' } } },
  { tool: 'said', args: { paths: ['docs/a', 'src/b'] } },
  { tool: 'said', args: { paths: ['docs/../src/b'] } },
  { tool: 'said', args: { paths: [] } },
  { tool: 'said', args: {} },
  { tool: 'run_command', args: { command: ['docs/run'] } },
]
export const GITS: readonly { tool: string; args: unknown }[] = [
  { tool: 'other', args: { command: 'git status; rm -rf x' } },
  { tool: 'other', args: { command: ['git', 'status'] } },
  { tool: 'shell', args: { script: 'git status; rm -rf x' } },
  { tool: 'run_command', args: { command: ['./git', 'status'] } },
  { tool: 'run_command', args: { command: ['sh', '-c', 'git status'] } },
  { tool: 'said', args: { command: 'git status' } },
]

/** The calls that went unasked although only a part of them, or nothing that the tool says, is allowed. */
export async function wronglyAllowed(): Promise<unknown[]> {
  const { workspace } = await createWorkspace({ 'docs/a': '', 'src/b': '' })
  const found: unknown[] = []
  for (const [calls, rule] of [
    [HALVES, { paths: ['docs/*'] }],
    [GITS, { command: ['git'] }],
  ] as const) {
    const rules: PolicyRule[] = [{ tool: '*', decision: 'allow', ...(rule as object) }]
    const tools = [unsaid(), said()]
    const { outcomes } = await callTools(workspace, calls, { config: { policy: { rules, shell: true } }, tools })
    found.push(...calls.filter((_, index) => outcomes[index]?.code !== 'approval_required'))
  }
  return found
}

export const attack = async () => ({ forbidden: await forbiddenCalled(), allowed: await wronglyAllowed() })
