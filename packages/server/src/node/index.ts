export { type ListeningServer, type ServeOptions, serve } from './serve.ts'
export { type ConnectionServer, serveConnections } from './serve-connections.ts'
