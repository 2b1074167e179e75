import { ConfigError } from '@svc/core'

/** The protocol's own package, which is optional: it is loaded with the first request. */
export type McpPackage = typeof import('@modelcontextprotocol/server')

/** @throws ConfigError `config_invalid` naming what to install */
export async function loadMcpPackage(): Promise<McpPackage> {
  try {
    return await import('@modelcontextprotocol/server')
  } catch (thrown) {
    const message =
      'the MCP server needs the package @modelcontextprotocol/server (^2.4.0), which cannot be loaded. Fix: npm install @modelcontextprotocol/server@2'
    throw new ConfigError('config_invalid', message, { cause: thrown })
  }
}
