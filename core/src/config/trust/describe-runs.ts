import type { ProviderConfig, SvcConfig, ToolConfig } from '../../contracts/config.ts'
import type { McpServerConfig } from '../../contracts/mcp-server.ts'
import { variablesIn } from '../../support/settings/variables.ts'
import { shown } from '../read/shown.ts'

/** Long enough for every command that somebody writes by hand. */
const LONGEST_COMMAND = 1_000

/**
 * What a config would run or use once it is trusted: commands with all their words, the hosts that are reached, the
 * variables that keys are taken from. One line for each, safe to print.
 */
export function describeRuns(config: SvcConfig): string[] {
  const { providers = {}, tools = {}, mcpServers = {}, agents = {}, policy = {}, extends: bases = [] } = config
  const { telemetry, store, memory } = config
  return [
    ...bases.map((base) => `settings of ${shown(base)}`),
    ...modulesOf(config).map((name) => `module ${shown(name)}`),
    ...Object.entries(providers).map(([id, provider]) => describeProvider(id, provider)),
    ...Object.entries(tools).flatMap(([id, tool]) => (tool === false ? [] : describeTool(id, tool))),
    ...Object.entries(mcpServers).map(([name, server]) => `MCP server ${shown(name)}: ${describeServer(server)}`),
    ...Object.keys(agents).map((id) => `agent ${shown(id)}`),
    ...(policy.rules ?? []).flatMap(({ decision, ...rule }) =>
      decision === 'allow' ? `allowed unasked: ${shown(JSON.stringify(rule))}` : [],
    ),
    ...(telemetry?.otlp === undefined ? [] : [`spans of runs go to ${hostOf(telemetry.otlp)}`]),
    ...(store?.url === undefined ? [] : [`runs are kept at ${hostOf(store.url)}`]),
    ...(memory?.embedder === undefined ? [] : [`memories are sent to ${shown(memory.embedder)}`]),
  ]
}

function modulesOf({ plugins = [], components = {} }: SvcConfig): string[] {
  const named = plugins.flatMap((entry) => (typeof entry === 'string' ? entry : Array.isArray(entry) ? entry[0] : []))
  return [...named, ...Object.values(components).filter((entry) => typeof entry === 'string')]
}

/** @see describeRuns */
export function describeProvider(id: string, provider: ProviderConfig): string {
  const { type, package: name, baseUrl, proxy, apiKeyEnv = [] } = provider
  const keys = [...new Set([apiKeyEnv, ...variablesOf(provider)].flat())]
  const parts = [
    `type ${shown(type)}`,
    ...(name === undefined ? [] : [`package ${shown(name)}`]),
    ...(baseUrl === undefined ? [] : [`host ${hostOf(baseUrl)}`]),
    ...(proxy === undefined ? [] : [`through ${hostOf(proxy)}`]),
    ...(keys.length === 0 ? [] : [`with ${keys.map((key) => shown(key)).join(', ')}`]),
  ]
  return `provider ${shown(id)}: ${parts.join(', ')}`
}

/** @see describeRuns */
export function describeTool(id: string, tool: ToolConfig): string {
  const { command, http, risk, sandbox } = tool
  const keys = variablesOf(tool)
  const parts = [
    ...(command === undefined ? [] : [`runs ${shown(command.map(toWord).join(' '), LONGEST_COMMAND)}`]),
    ...(sandbox === false ? ['outside of the sandbox'] : []),
    ...(http === undefined ? [] : [`sends ${http.method} to ${hostOf(http.url)}`]),
    ...(http === undefined ? [] : [`may reach ${http.hosts.map((host) => shown(host)).join(', ')}`]),
    ...(keys.length === 0 ? [] : [`with ${keys.map((key) => shown(key)).join(', ')}`]),
    ...(risk === 'read' ? ['unasked'] : []),
  ]
  return `tool ${shown(id)}: ${parts.join(', ') || 'code'}`
}

/** What a server runs or where it is, in part of a line that is safe to print. */
export function describeServer(server: McpServerConfig): string {
  const { command, args = [], cwd, url, env = {}, disabled, tools: { risk = {} } = {} } = server
  const set = Object.keys(env)
  const taken = variablesOf(server)
  const lower = Object.entries(risk).flatMap(([tool, level]) => (level === 'execute' ? [] : `${tool} as ${level}`))
  const list = (names: string[]): string => names.map((each) => shown(each)).join(', ')
  const parts = [
    ...(command === undefined ? [] : [`runs ${shown([command, ...args].map(toWord).join(' '), LONGEST_COMMAND)}`]),
    ...(cwd === undefined ? [] : [`in ${shown(cwd)}`]),
    ...(url === undefined ? [] : [`host ${hostOf(url)}`]),
    ...(set.length === 0 ? [] : [`sets ${list(set)}`]),
    ...(taken.length === 0 ? [] : [`with ${list(taken)}`]),
    ...(lower.length === 0 ? [] : [`takes ${list(lower)}`]),
    ...(disabled === true ? ['switched off'] : []),
  ]
  return parts.join(', ')
}

/** A word of a command as one sees where it begins and ends. */
const toWord = (word: string): string => (/^[\w./:=@%+,{}-]+$/.test(word) ? word : JSON.stringify(word))

/** The host of an address, without what may stand before it: a name and a password. */
export function hostOf(address: string): string {
  try {
    const { host, protocol } = new URL(address)
    return host === '' ? shown(protocol) : shown(host)
  } catch {
    return shown(address.replace(/^.*@/s, ''))
  }
}

/** Names of environment variables in a description. */
const variablesOf = (value: unknown): string[] => variablesIn(JSON.stringify(value))
