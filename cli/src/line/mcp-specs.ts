import type { CommandSpec } from './command-spec.ts'

const SERVER = 'the name of a server: see svc mcp list'

/** Servers of the Model Context Protocol, and svc as one. */
export const MCP_COMMANDS: readonly CommandSpec[] = [
  {
    usage: 'mcp serve',
    about:
      'be an MCP server for the program that starts this, over standard input and output; svc mcp alone is the same',
    examples: ['svc mcp --cwd ~/project'],
    load: () => import('../commands/mcp/serve.ts'),
  },
  {
    usage: 'mcp list',
    about: 'every server, what it runs or where it is, and which file says so; none is started',
    load: () => import('../commands/mcp/list.ts'),
  },
  {
    usage: 'mcp add <name> [...command]',
    about: 'add a server to your own: a program with its arguments after --, or an address',
    needs: 'a name, and -- with a command or --url with an address',
    options: [
      ['--url <address>', 'of a server that speaks HTTP'],
      ['--header <line>', 'sent with each request, as "Name: value"; may be given again', 'many'],
      ['--env <variable>', 'set for the program, as NAME=value; may be given again', 'many'],
      ['--force', 'replace one of your own that has this name'],
    ],
    examples: [
      'svc mcp add files -- npx -y @modelcontextprotocol/server-filesystem .',
      `svc mcp add tracker --url https://mcp.example.com/mcp --header 'Authorization: Bearer {env:TRACKER_KEY}'`,
    ],
    load: () => import('../commands/mcp/add.ts'),
  },
  {
    usage: 'mcp remove <name>',
    alias: 'mcp rm',
    about: 'take a server out of those that svc mcp add wrote, and forget its login',
    needs: SERVER,
    load: () => import('../commands/mcp/remove.ts'),
  },
  {
    usage: 'mcp test <name>',
    about:
      'start a server, show its tools with their risk, its resources and prompts, and ask whether its tools may be used so',
    needs: SERVER,
    options: [['--yes', 'take its tools as they are now without asking']],
    examples: ['svc mcp test files'],
    load: () => import('../commands/mcp/test.ts'),
  },
  {
    usage: 'mcp login <name>',
    about: 'sign in to a server with an address, in a browser (OAuth)',
    needs: SERVER,
    options: [['--remove', 'forget the login']],
    examples: ['svc mcp login tracker'],
    load: () => import('../commands/mcp/login.ts'),
  },
  {
    usage: 'mcp read <name> <uri>',
    about: 'print a resource of a server',
    needs: 'the name of a server and the URI of a resource: see svc mcp test <name>',
    examples: ['svc mcp read docs docs://guide'],
    load: () => import('../commands/mcp/read.ts'),
  },
]
