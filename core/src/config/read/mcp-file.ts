import type { McpServerConfig } from '../../contracts/mcp-server.ts'
import { toSvcError } from '../../errors.ts'
import type { ConfigProblem } from '../loaded-config.ts'
import { checkConfig, describe } from './check-config.ts'
import { invalid } from './config-error.ts'
import { isRecord, parseData, type ReadFile, readBytes, toText } from './read-data.ts'

/**
 * Reads MCP servers from a file `{ "mcpServers": { … } }`, as other programs write it: what else stands there is theirs. A
 * server that cannot be used becomes a problem; the others are used.
 */
export async function readMcpFile(
  file: string,
  readFile: ReadFile = readBytes,
): Promise<{ servers: Record<string, McpServerConfig>; problems: ConfigProblem[] }> {
  const servers: Record<string, McpServerConfig> = Object.create(null)
  const problems: ConfigProblem[] = []
  try {
    for (const [name, block] of Object.entries((await readMcpContent(file, readFile)).mcpServers)) {
      try {
        Object.assign(servers, checkConfig({ mcpServers: { [name]: block } }, file).mcpServers)
      } catch (thrown) {
        problems.push({ file, error: toSvcError(thrown), defines: { kind: 'server', id: name } })
      }
    }
  } catch (thrown) {
    problems.push({ file, error: toSvcError(thrown) })
  }
  return { servers, problems }
}

/**
 * What a file of servers says, unchecked.
 *
 * @throws ConfigError `config_invalid` for a file that cannot be read, or is no `{ "mcpServers": { … } }`
 */
export async function readMcpContent(
  file: string,
  readFile: ReadFile = readBytes,
): Promise<{ mcpServers: Record<string, unknown> }> {
  const content = (await parseData(toText(readFile(file), file), file)) ?? {}
  if (!isRecord(content)) throw invalid(file, `must be an object with "mcpServers", not ${describe(content)}`)
  const { mcpServers = Object.keys(content).length === 0 ? {} : undefined } = content
  if (!isRecord(mcpServers)) throw invalid(file, '/mcpServers must be an object of servers by name')
  return { ...content, mcpServers }
}
