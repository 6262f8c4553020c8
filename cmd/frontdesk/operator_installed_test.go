//go:build walk

package main_test

func systemdWalk() []stage {
	const test = "TestProveInstalled_D112"
	return []stage{
		{below: "Install", by: test}, {below: "The database", by: test}, {below: "Start", by: test},
		{below: "The relay", by: test}, {below: "Two processes on one machine", by: test}, {below: "Your own commands", by: test},
		{below: "Upgrade", by: test},
	}
}

func kubernetesWalk() []stage { return []stage{{below: "The image", by: "TestProveInstalled_D112"}} }
