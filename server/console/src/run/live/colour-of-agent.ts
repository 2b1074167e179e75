const COLOURS = ['--accent', '--tool', '--waiting', '--completed', '--incomplete', '--running']

/** The colours of agents, one after the other. */
export const colourOfAgent = (index: number): string => `var(${COLOURS[index % COLOURS.length]})`
