package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/cmd/frontdesk/testworld"
)

// The words of a line are those that bash passes to the function that the script names.
const completes = `
source <(frontdesk completion bash)
read -ra COMP_WORDS <<< "$1"
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
function_of=($(complete -p frontdesk))
"${function_of[-2]}" frontdesk "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
echo "${COMPREPLY[@]}"
`

func TestBashCompletes(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"frontdesk audit ex": "explain export\n", "frontdesk audit export --up": "--up-to\n", "frontdesk serve --durability = s": "synchronous\n",
	} {
		command := exec.CommandContext(t.Context(), bash, "-c", completes, "bash", line)
		command.Env = append(os.Environ(), "PATH="+filepath.Dir(testworld.Binary(t))+":"+os.Getenv("PATH"))
		if got, err := command.CombinedOutput(); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v, want %q", line, got, err, strings.TrimSpace(want))
		}
	}
}
