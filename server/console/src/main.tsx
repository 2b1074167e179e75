import { render } from 'preact'
import { App } from './app.tsx'
import { showUnseen } from './visible.ts'
import './styles/tokens.css'
import './styles/base.css'
import './styles/parts.css'

showUnseen()
render(<App />, document.getElementById('app') as HTMLElement)
