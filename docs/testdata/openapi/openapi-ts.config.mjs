// The generator looks for tsconfig.json beside itself, and a test keeps it elsewhere.
export default {
  input: "./openapi.json",
  output: { path: "generated/hey-api", importFileExtension: ".js", tsConfigPath: null },
};
